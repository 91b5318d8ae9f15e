import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';

export interface FakeSandbox {
  socketPath: string;
  /** Ends every connection where it is. */
  kill(): void;
}

/** A server on a Unix socket that answers as the test says. */
export async function startFakeSandbox(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  onTerminal: (socket: WebSocket, request: IncomingMessage) => void = () => undefined,
): Promise<FakeSandbox> {
  const directory = await mkdtemp(join(tmpdir(), 'fake sandbox:'));
  const socketPath = join(directory, 'server.sock');
  const http = createServer(answer);
  const sockets = new WebSocketServer({ server: http });
  sockets.on('connection', onTerminal);
  await new Promise<void>((resolve) => http.listen(socketPath, resolve));
  const kill = () => {
    for (const socket of sockets.clients) socket.terminate();
    http.closeAllConnections();
  };
  onTestFinished(async () => {
    kill();
    await new Promise((resolve) => http.close(resolve));
    await rm(directory, { recursive: true, force: true });
  });
  return { socketPath, kill };
}
