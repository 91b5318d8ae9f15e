import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WebSocket } from 'ws';
import type { ZodType, z } from 'zod';

/**
 * One line of a route table: serving, the 404 and 405 answers and the OpenAPI description all follow from it.
 * `Context` is what the door adds to each request: who came, and what the routes stand on.
 */
export type RouteEntry<Context extends object> = HttpRouteEntry<Context> | SocketRouteEntry<Context>;

interface RouteAddress {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `{name}` stands for one segment. */
  path: string;
  /** Answers without a key. */
  isPublic?: true;
}

export interface HttpRouteEntry<Context extends object> extends RouteAddress {
  kind: 'http';
  /** Loaded with the first request, so that the start does not pay for it. */
  load(): Promise<{ route: HttpRoute<Context> }>;
}

export interface SocketRouteEntry<Context extends object> extends RouteAddress {
  kind: 'socket';
  load(): Promise<{ route: SocketRoute<Context> }>;
}

export interface HttpRoute<Context extends object> {
  summary: string;
  document(zod: typeof z): RouteDocument;
  handle(exchange: Exchange<Context>): Promise<void> | void;
}

export interface SocketRoute<Context extends object> {
  summary: string;
  document(zod: typeof z): RouteDocument;
  attach(socket: WebSocket, visit: Visit<Context>): Promise<void> | void;
}

export type Visit<Context extends object> = Context & {
  request: IncomingMessage;
  /** The whole table, for the route that describes it. */
  routes: readonly RouteEntry<Context>[];
  params: Record<string, string>;
  query: URLSearchParams;
};

export type Exchange<Context extends object> = Visit<Context> & { response: ServerResponse };

export interface RouteDocument {
  query?: z.ZodObject;
  headers?: z.ZodObject;
  body?: { contentType: string; schema: ZodType };
  answers: Record<number, { description: string; contentType?: string; schema?: ZodType }>;
}
