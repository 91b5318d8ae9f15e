import { request } from 'node:http';
import type { Socket } from 'node:net';
import { connectToSandbox } from '../drivers/sandbox-socket.ts';

const timeoutMs = 15_000;

/** A connection to a port inside a sandbox that has a network of its own, by way of the sandbox server. */
export function openTunnel(socketPath: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const asked = request({
      path: `/ports/${port}/tunnel`,
      headers: { host: 'localhost', connection: 'Upgrade', upgrade: 'tcp' },
      createConnection: () => connectToSandbox(socketPath),
      signal: AbortSignal.timeout(timeoutMs),
    });
    asked.on('upgrade', (_answer, socket: Socket, head) => {
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asked.on('response', (answer) => {
      asked.destroy();
      reject(new Error(`The sandbox opens no way to port ${port}: it answered ${answer.statusCode}`));
    });
    asked.on('error', reject);
    asked.end();
  });
}
