import { createServer } from 'node:net';
import { isLoopback } from '@fairlead/http';
import { UsageError } from './arguments.ts';

/** Whoever reaches the server can run commands, so it must not be open to a network by accident. */
export function checkReach(host: string, isAllowedBeyondLoopback: boolean): void {
  if (isAllowedBeyondLoopback || isLoopback(host)) return;
  throw new UsageError(
    `Refusing to listen on ${host} without a key; set SESSION_API_KEY, or give --insecure-no-key to allow it`,
  );
}

export async function checkPort(host: string, port: number): Promise<void> {
  if (port === 0) return;
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error) => reject(new UsageError(addressProblem(error, host, port))));
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}

function addressProblem(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === 'EADDRINUSE')
    return `Port ${port} on ${host} is in use; choose another, or 0 for any free one`;
  if (error.code === 'EACCES') return `No permission to listen on port ${port}; choose one above 1023`;
  return `Cannot listen on ${host} port ${port}: ${error.message}`;
}
