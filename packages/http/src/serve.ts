import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerError } from './answer.ts';
import { type Door, enter, splitTarget } from './door.ts';
import { HttpError } from './http-error.ts';

const unexpected = 'An unexpected error occurred. Please try again later.';

/** One request from its first check to its answer; whatever goes wrong becomes an answer. */
export async function serve<Context extends object>(
  door: Door<Context>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { entry, params, context, query } = await enter(door, request, false);
    if (entry.kind === 'socket') throw upgradeRequired();
    const { route } = await entry.load();
    await route.handle({ ...context, request, response, routes: door.routes, params, query });
  } catch (error) {
    const failure = toHttpError(error, request, (line) => door.log(line));
    if (failure === undefined) return;
    if (response.headersSent) return void response.destroy();
    answerError(response, failure);
  }
}

/** Undefined when the client has left and there is nobody to answer. */
function toHttpError(
  error: unknown,
  request: IncomingMessage,
  log: (line: string) => void,
): HttpError | undefined {
  if (request.socket.destroyed) return undefined;
  const failure = error instanceof HttpError ? error : new HttpError(500, unexpected);
  const reason =
    error instanceof HttpError ? '' : `: ${error instanceof Error ? error.message : String(error)}`;
  const { path } = splitTarget(request.url ?? '');
  log(`${request.method} ${path.slice(0, 200)} ${failure.status}${reason}`);
  return failure;
}

function upgradeRequired(): HttpError {
  return new HttpError(426, 'This path is a WebSocket; connect with ws://', {}, { upgrade: 'websocket' });
}
