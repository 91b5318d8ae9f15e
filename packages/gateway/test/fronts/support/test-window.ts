import type { Welcome, WindowFacts } from '@fairlead/protocol';
import { io, type Socket } from 'socket.io-client';
import { onTestFinished } from 'vitest';
import type { Json, TestGateway } from './test-gateway.ts';

export interface TestHello {
  key?: string;
  code?: string;
  window: WindowFacts;
  protocolVersion?: number;
}

/** A connection as the extension makes it, or what it was refused with. */
export async function dialWindow(
  { server }: TestGateway,
  hello: TestHello,
): Promise<{ socket: Socket; welcome: Welcome } | { refusal: Json }> {
  const socket: Socket = io(`http://127.0.0.1:${server.port}/windows`, {
    auth: { protocolVersion: 1, ...hello },
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
  });
  onTestFinished(() => void socket.disconnect());
  return new Promise((resolve) => {
    socket.on('welcome', (welcome: Welcome) => resolve({ socket, welcome }));
    socket.on('connect_error', (error: Error & { data?: unknown }) => {
      resolve({ refusal: error.data ?? error.message });
    });
  });
}

/** One that must be let in. */
export async function openWindow(
  gateway: TestGateway,
  hello: TestHello,
): Promise<{ socket: Socket; welcome: Welcome; refused: Promise<string>; closed: Promise<void> }> {
  const dialled = await dialWindow(gateway, hello);
  if ('refusal' in dialled) throw new Error(`refused: ${JSON.stringify(dialled.refusal)}`);
  const { socket } = dialled;
  return {
    ...dialled,
    refused: new Promise((resolve) =>
      socket.on('refused', ({ detail }: { detail: string }) => resolve(detail)),
    ),
    closed: new Promise((resolve) => socket.on('disconnect', () => resolve())),
  };
}
