import { createServer } from 'node:net';
import { CliError } from './cli-error.ts';

const attempts = 50;

/** The first port from `wanted` on that nothing listens on. */
export async function freePortFrom(host: string, wanted: number): Promise<number> {
  for (let port = wanted; port < wanted + attempts; port += 1) {
    if (await isFree(host, port)) return port;
  }
  throw new CliError(`Ports ${wanted} to ${wanted + attempts - 1} are all taken. Choose one with --port N.`);
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(new CliError(`Cannot listen on ${host}: ${error.message}. Choose another --host.`));
    });
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
