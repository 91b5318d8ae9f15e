import type { IncomingMessage } from 'node:http';
import { HttpError } from './http-error.ts';
import type { RouteEntry } from './route.ts';
import type { RouteMatch } from './router.ts';

/** How requests and WebSockets get in: all checks of site and identity are in `enter`. */
export interface Door<Context extends object> {
  routes: readonly RouteEntry<Context>[];
  findRoute(method: string, path: string): RouteMatch<Context>;
  /** What the routes get to know, as a plain object; refuses with an `HttpError`. */
  enter(entrance: Entrance<Context>): Context | Promise<Context>;
  log(line: string): void;
}

export interface Entrance<Context extends object> {
  request: IncomingMessage;
  /** Asks for a WebSocket. */
  isUpgrade: boolean;
  path: string;
  /** What is taken out of it here, the route does not see. */
  query: URLSearchParams;
  /** Undefined where there is no such path or method, which is told after `enter` has let the client in. */
  match: RouteMatch<Context> | undefined;
}

export interface Entered<Context extends object> extends RouteMatch<Context> {
  context: Context;
  path: string;
  query: URLSearchParams;
}

/** The checks come before the route, so that a stranger does not learn which paths exist. */
export async function enter<Context extends object>(
  door: Door<Context>,
  request: IncomingMessage,
  isUpgrade: boolean,
): Promise<Entered<Context>> {
  const { path, query: queryText } = splitTarget(request.url ?? '/');
  const query = new URLSearchParams(queryText);
  const found = findOrRefuse(door, request.method ?? 'GET', path);
  const match = found instanceof HttpError ? undefined : found;
  const context = await door.enter({ request, isUpgrade, path, query, match });
  if (found instanceof HttpError) throw found;
  return { ...found, context, path, query };
}

export function splitTarget(target: string): { path: string; query: string } {
  const mark = target.indexOf('?');
  return mark < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

function findOrRefuse<Context extends object>(
  door: Door<Context>,
  method: string,
  path: string,
): RouteMatch<Context> | HttpError {
  try {
    return door.findRoute(method, path);
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
}
