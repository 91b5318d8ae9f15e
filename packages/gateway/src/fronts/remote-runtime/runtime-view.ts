import type { IncomingMessage } from 'node:http';
import type { SessionState } from '@fairlead/protocol';
import { z } from 'zod';
import type { SessionRecord } from '../../store/store.ts';
import type { IdentifiedContext } from '../context.ts';

/** Everything that OpenHands' clients of either generation read of a runtime; each answer has all of it. */
export const runtimeView = z.object({
  runtime_id: z.string(),
  /** The name that the client has given it. */
  session_id: z.string(),
  url: z.string(),
  session_api_key: z.string(),
  work_hosts: z.record(z.string(), z.int()),
  status: z.enum(['running', 'paused', 'stopped']),
  pod_status: z.enum(['ready', 'pending', 'failed', 'not found']),
  restart_count: z.int(),
  restart_reasons: z.array(z.string()),
});
export type RuntimeView = z.infer<typeof runtimeView>;

/**
 * Clients wait while a runtime that is `running` is `pending`, and start or resume one that is `stopped` or `paused`;
 * a failed session can be resumed, so it counts as stopped. `not found` leaves it to `status` to tell.
 */
const statusByState: Record<SessionState, Pick<RuntimeView, 'status' | 'pod_status'>> = {
  starting: { status: 'running', pod_status: 'pending' },
  running: { status: 'running', pod_status: 'ready' },
  paused: { status: 'paused', pod_status: 'not found' },
  stopped: { status: 'stopped', pod_status: 'not found' },
  failed: { status: 'stopped', pod_status: 'failed' },
};

type Viewer = IdentifiedContext & { request: IncomingMessage };

export function viewRuntime(viewer: Viewer, record: SessionRecord): RuntimeView {
  return {
    runtime_id: record.id,
    session_id: record.externalId ?? record.id,
    // Clients look for the editor beside it only where its path begins with the id.
    url: `${viewer.gateway.urls.gatewayUrl(viewer.request)}/${record.id}`,
    session_api_key: viewer.gateway.sessionKeys.keyOf(record.id),
    work_hosts: appHosts(viewer, record),
    ...statusByState[record.state],
    // A sandbox server that dies is started again where it is; the session does not count that.
    restart_count: 0,
    restart_reasons: record.state === 'failed' && record.reason !== null ? [record.reason] : [],
  };
}

/** What agents are told of the session's apps: where a browser finds each, and the port that it is to listen on. */
function appHosts(
  { gateway, request }: Viewer,
  { id: sessionId, appPorts }: SessionRecord,
): Record<string, number> {
  return Object.fromEntries(
    appPorts.map((port, index) => [
      gateway.urls.placeUrl({ kind: 'numbered-app', sessionId, number: index + 1 }, request),
      port,
    ]),
  );
}
