import { createServer } from 'node:net';
import { UserError } from './fail.mjs';

const attempts = 50;

/** The first port from `wanted` on that nothing listens on at loopback. */
export async function freePortFrom(wanted) {
  for (let port = wanted; port < wanted + attempts; port++) {
    if (await isFree(port)) return port;
  }
  throw new UserError(
    `Ports ${wanted} to ${wanted + attempts - 1} are all taken. Choose one: npm start -- --port N`,
  );
}

export function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
