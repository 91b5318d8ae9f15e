import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Door, enter, HttpError, refuseUpgrade } from '@fairlead/http';
import type { MachineContext } from '../sandbox.ts';

/** What a request asks to become to be connected to a port. */
export const tunnelProtocol = 'tcp';
export const tunnelPath = '/ports/{port}/tunnel';

const connectTimeoutMs = 10_000;

/** Makes the connection of a request one to a port of the sandbox, under the same checks as all requests. */
export async function acceptTunnel(
  door: Door<MachineContext>,
  request: IncomingMessage,
  connection: Duplex,
  head: Buffer,
): Promise<void> {
  connection.on('error', () => connection.destroy());
  try {
    const { entry, params, path, context } = await enter(door, request, true);
    if (entry.path !== tunnelPath) throw new HttpError(400, `${path} is not a tunnel`);
    const ports = await context.sandbox.ports();
    const target = await reach(parsePort(params['port']!), (port) => ports.addressesOf(port));
    join(connection, target, head);
  } catch (error) {
    if (!(error instanceof HttpError)) door.log(`tunnel failed: ${(error as Error).message}`);
    refuseUpgrade(connection, error instanceof HttpError ? error : new HttpError(500, 'The tunnel failed'));
  }
}

function parsePort(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new HttpError(422, 'Invalid request parameters', {
    errors: `port: "${text}" is not from 1 to 65535`,
  });
}

async function reach(port: number, addressesOf: (port: number) => string[]): Promise<Socket> {
  const addresses = addressesOf(port);
  if (addresses.length === 0) {
    throw new HttpError(404, `No process of the sandbox listens on port ${port}; GET /ports lists them`);
  }
  const failures: string[] = [];
  for (const host of addresses) {
    try {
      return await open(host, port);
    } catch (error) {
      failures.push((error as Error).message);
    }
  }
  throw new HttpError(502, `Port ${port} takes no connection: ${failures.join('; ')}`);
}

function open(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // Each side may have said all it has to say before the other.
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
    const timer = setTimeout(() => socket.destroy(new Error(`${host} does not answer`)), connectTimeoutMs);
    socket.once('error', reject);
    socket.once('close', () => clearTimeout(timer));
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

function join(connection: Duplex, target: Socket, head: Buffer): void {
  target.on('error', () => connection.destroy());
  target.on('close', () => target.readableEnded || connection.destroy());
  connection.on('close', () => target.destroy());
  if (connection.destroyed) return void target.destroy();
  connection.write(
    `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${tunnelProtocol}\r\n\r\n`,
  );
  target.write(head);
  connection.pipe(target);
  target.pipe(connection);
}
