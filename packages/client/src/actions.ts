import { type Observation, observationSchema } from '@fairlead/protocol';
import { FairleadError } from './fairlead-error.ts';
import { type Connection, request, requestJson } from './http.ts';

/** An action as it is sent; see the protocol's `actionArgs` for the arguments of each. */
export interface ActionEvent {
  action: string;
  args: Record<string, unknown>;
  /** Seconds. */
  timeout?: number;
  shell?: string;
}

export interface SendOptions {
  /** Names the action; whoever sends it again under this name gets the first answer, and it runs once. */
  actionId: string;
  /** Stops waiting; the action itself goes on. */
  signal?: AbortSignal | undefined;
}

const firstPauseMs = 100;
const longestPauseMs = 2_000;

/** Sends an action, and again as long as the connection breaks: it has a name, so it runs once. */
export async function sendAction(
  connection: Connection,
  session: string,
  event: ActionEvent,
  { actionId, signal }: SendOptions,
): Promise<Observation> {
  const path = `api/sessions/${session}/actions`;
  const headers = { 'idempotency-key': actionId, 'x-action-id': actionId };
  let failingSinceMs: number | undefined;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const startedAtMs = performance.now();
    try {
      return await requestJson(connection, observationSchema, 'POST', path, { json: event, headers, signal });
    } catch (error) {
      const nowMs = performance.now();
      // A connection that had held for long is a new trouble: a long command outlives the time-outs on its way.
      if (nowMs - startedAtMs > longestPauseMs) {
        failingSinceMs = undefined;
        pauseMs = firstPauseMs;
      }
      failingSinceMs ??= nowMs;
      if (!isPassing(error) || nowMs - failingSinceMs >= connection.retryForMs) throw error;
      await pause(pauseMs, signal);
    }
  }
}

/** Asks until the runtime has heard it, or the signal says that the action has ended. */
export async function cancelAction(
  connection: Connection,
  session: string,
  actionId: string,
  ended: AbortSignal,
): Promise<void> {
  while (!ended.aborted) {
    try {
      await request(connection, 'POST', `runtimes/${session}/actions/${actionId}/cancel`, { signal: ended });
      return;
    } catch (error) {
      if (ended.aborted) return;
      // It may not have got there yet.
      if (!isPassing(error) && !(error instanceof FairleadError && error.code === 'not-found')) throw error;
      await pause(firstPauseMs, ended).catch(() => undefined);
    }
  }
}

/** For a name that nobody else chooses. `crypto.randomUUID` is missing on pages that came without TLS. */
export function newActionId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function isPassing(error: unknown): boolean {
  return error instanceof FairleadError && (error.code === 'unreachable' || error.code === 'unavailable');
}

function pause(durationMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, durationMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
  });
}
