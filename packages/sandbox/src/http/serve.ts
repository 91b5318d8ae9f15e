import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Sandbox } from '../sandbox.ts';
import { answerError } from './answer.ts';
import type { Guard } from './guard.ts';
import { HttpError } from './http-error.ts';
import type { RouteEntry } from './route.ts';
import type { RouteMatch } from './router.ts';

export interface Door {
  sandbox: Sandbox;
  routes: readonly RouteEntry[];
  guard: Guard;
  findRoute(method: string, path: string): RouteMatch;
}

interface Served extends Door {
  request: IncomingMessage;
  response: ServerResponse;
}

const unexpected = 'An unexpected error occurred. Please try again later.';

/** One request from its first check to its answer; whatever goes wrong becomes an answer. */
export async function serve(served: Served): Promise<void> {
  const { request, response, sandbox } = served;
  try {
    await dispatch(served);
  } catch (error) {
    const failure = toHttpError(error, request, sandbox.log);
    if (failure === undefined) return;
    if (response.headersSent) return void response.destroy();
    answerError(response, failure);
  }
}

/** The key comes before the route, so that a stranger does not learn which paths exist. */
async function dispatch({ request, response, sandbox, guard, routes, findRoute }: Served): Promise<void> {
  guard.checkSite(request);
  const { path, query: queryText } = splitTarget(request.url ?? '/');
  const match = keyThenRoute(request, guard, () => findRoute(request.method ?? 'GET', path));
  if (match.entry.kind === 'socket') throw upgradeRequired();
  const { route } = await match.entry.load();
  const query = new URLSearchParams(queryText);
  await route.handle({ request, response, sandbox, routes, params: match.params, query });
}

/** A path that does not exist is told to those with the key only. */
function keyThenRoute(request: IncomingMessage, guard: Guard, find: () => RouteMatch): RouteMatch {
  if (guard.hasKey(request)) return find();
  let match: RouteMatch | undefined;
  try {
    match = find();
  } catch {
    // Told as a missing key below.
  }
  if (match?.entry.isPublic !== true) guard.checkKey(request);
  return match!;
}

export function splitTarget(target: string): { path: string; query: string } {
  const mark = target.indexOf('?');
  return mark < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) };
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
