import type { IncomingMessage, Server, ServerResponse } from 'node:http';

// An `import` of node:http also loads everything behind its lazy exports: 15 ms of the start.
const { createServer } = process.getBuiltinModule('node:http');

/** A server that keeps its connections, takes long bodies, and upgrades to the given protocols alone. */
export function createHttpServer(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
  protocols = ['websocket'],
): Server {
  return createServer(
    {
      headersTimeout: 20_000,
      // Long uploads are watched for silence instead, and other bodies have a time of their own.
      requestTimeout: 0,
      connectionsCheckingInterval: 5_000,
      // Longer than any client keeps a connection, so that it is never closed under a request.
      keepAliveTimeout: 600_000,
      shouldUpgradeCallback: ({ headers }) => protocols.includes(headers.upgrade?.toLowerCase() ?? ''),
    },
    listener,
  );
}
