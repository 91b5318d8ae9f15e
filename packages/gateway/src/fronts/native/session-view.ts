import type { IncomingMessage } from 'node:http';
import type { CreatedSession, Session } from '@fairlead/protocol';
import { shownWorkspace } from '../../sessions/git-address.ts';
import type { SessionRecord } from '../../store/store.ts';
import type { IdentifiedContext } from '../context.ts';

type Viewer = IdentifiedContext & { request: IncomingMessage };

/** A session as its owner sees it: nothing of its environment, which may hold secrets, nor of a password in an address. */
export function sessionView(viewer: Viewer, record: SessionRecord): Session {
  const { id, driver, image, state, reason, workspace, labels, limits } = record;
  const { urls } = viewer.gateway;
  const { createdAt, lastActiveAt, idleTimeoutSeconds, expiresAt } = record;
  return {
    id,
    owner: viewer.identity.owner.name,
    driver,
    image,
    windowId: record.windowId,
    state,
    reason,
    workspace: shownWorkspace(workspace),
    labels,
    limits,
    createdAt,
    lastActiveAt,
    idleTimeoutSeconds,
    expiresAt,
    url: runtimeUrl(viewer, id),
    editorUrl: urls.placeUrl({ kind: 'editor', sessionId: id }, viewer.request),
    apps: record.appPorts.map((port, index) => {
      const number = index + 1;
      return {
        number,
        port,
        url: urls.placeUrl({ kind: 'numbered-app', sessionId: id, number }, viewer.request),
      };
    }),
  };
}

export function createdView(viewer: Viewer, record: SessionRecord): CreatedSession {
  return { ...sessionView(viewer, record), key: viewer.gateway.sessionKeys.keyOf(record.id) };
}

/** By the name that the client has reached the gateway by, unless the operator says another. */
function runtimeUrl({ gateway, request }: Pick<Viewer, 'gateway' | 'request'>, id: string): string {
  return `${gateway.urls.gatewayUrl(request)}/runtimes/${id}`;
}
