import type { SocketRoute } from '@fairlead/http';
import { terminalControl } from '@fairlead/protocol';
import { WebSocket } from 'ws';
import { connectToSandbox } from '../../drivers/sandbox-socket.ts';
import type { SessionContext } from '../context.ts';
import { pathInSandbox } from './sandbox-request.ts';

const bufferLimitBytes = 256 * 1024;
/** Above the whole screen with what has scrolled away, which is the most that a sandbox tells at once. */
const messageLimitBytes = 1024 * 1024;
const handshakeTimeoutMs = 5_000;

export const route: SocketRoute<SessionContext> = {
  summary: 'A person at a shell: binary messages are terminal bytes, text messages are control',
  document: () => ({
    answers: { 101: { description: 'WebSocket; the text messages it takes', schema: terminalControl } },
  }),
  async attach(viewer, { request, gateway, session, query }) {
    const path = pathInSandbox(request.url ?? '/').replace(/\?.*$/s, '');
    const touch = () => gateway.sessions.touch(session.id);
    // What is typed at once waits for the sandbox.
    viewer.pause();
    const { socketPath } = await gateway.sessions.connection(session.id).catch((error: unknown) => {
      viewer.resume();
      throw error;
    });
    const shell = open(`ws://localhost${path}?${query}`, socketPath);
    if (shell === undefined) return end(viewer, 1011, unanswered);
    shell.on('open', () => viewer.resume());
    shell.on('error', () => end(viewer, 1011, unanswered));
    shell.on('close', (code, reason) => {
      if (code !== 1005 && code !== 1006) end(viewer, code, String(reason));
      else end(viewer, 1011, 'the sandbox has ended the connection; connect again');
    });
    viewer.on('close', () => end(shell, 1000, ''));
    passOn(viewer, shell, touch);
    passOn(shell, viewer, touch);
  },
};

const unanswered = 'the sandbox did not answer; connect again';

/** Undefined when there is no socket at the moment. */
function open(url: string, socketPath: string): WebSocket | undefined {
  try {
    const createConnection = () => connectToSandbox(socketPath);
    return new WebSocket(url, {
      perMessageDeflate: false,
      maxPayload: messageLimitBytes,
      handshakeTimeout: handshakeTimeoutMs,
      createConnection,
    });
  } catch {
    return undefined;
  }
}

/** Who is held back does not hear that the other side has closed. */
function end(socket: WebSocket, code: number, reason: string): void {
  socket.resume();
  socket.close(code, reason);
}

/** Everything that one side says is told to the other, no faster than it listens. */
function passOn(from: WebSocket, to: WebSocket, touch: () => void): void {
  from.on('message', (data, isBinary) => {
    touch();
    if (to.readyState !== to.OPEN) return;
    to.send(data as Buffer, { binary: isBinary }, () => {
      if (to.bufferedAmount <= bufferLimitBytes) from.resume();
    });
    if (to.bufferedAmount > bufferLimitBytes) from.pause();
  });
}
