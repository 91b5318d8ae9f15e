import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WebSocket } from 'ws';
import type { ZodType, z } from 'zod';
import type { Sandbox } from '../sandbox.ts';

/** One line of the route table: serving, the 404 and 405 answers and `/openapi.json` all follow from it. */
export type RouteEntry = HttpRouteEntry | SocketRouteEntry;

interface RouteAddress {
  method: 'GET' | 'POST' | 'DELETE';
  /** `{name}` stands for one segment. */
  path: string;
  /** Answers without the session key. */
  isPublic?: true;
}

export interface HttpRouteEntry extends RouteAddress {
  kind: 'http';
  /** Loaded with the first request, so that the start does not pay for it. */
  load(): Promise<{ route: HttpRoute }>;
}

export interface SocketRouteEntry extends RouteAddress {
  kind: 'socket';
  load(): Promise<{ route: SocketRoute }>;
}

export interface HttpRoute {
  summary: string;
  document(zod: typeof z): RouteDocument;
  handle(exchange: Exchange): Promise<void> | void;
}

export interface SocketRoute {
  summary: string;
  document(zod: typeof z): RouteDocument;
  attach(socket: WebSocket, visit: Visit): Promise<void> | void;
}

export interface Visit {
  request: IncomingMessage;
  /** The whole table, for the route that describes it. */
  routes: readonly RouteEntry[];
  sandbox: Sandbox;
  params: Record<string, string>;
  query: URLSearchParams;
}

export interface Exchange extends Visit {
  response: ServerResponse;
}

export interface RouteDocument {
  query?: z.ZodObject;
  headers?: z.ZodObject;
  body?: { contentType: string; schema: ZodType };
  answers: Record<number, { description: string; contentType?: string; schema?: ZodType }>;
}
