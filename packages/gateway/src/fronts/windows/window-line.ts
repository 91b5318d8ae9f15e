import { type Acknowledgement, acknowledgement } from '@fairlead/protocol';
import { StreamMux } from '@fairlead/tunnel';
import type { Socket } from 'socket.io';
import { plainText } from '../../windows/plain-text.ts';
import type { WindowLine } from '../../windows/windows.ts';

/** For a window to make its server ready. */
const openTimeoutMs = 30_000;
/** For a window to end what runs. */
const closeTimeoutMs = 5_000;

/** What the gateway says to one window, over its connection. */
export function openWindowLine(socket: Socket): { line: WindowLine; mux: StreamMux } {
  const mux = new StreamMux((frame) => socket.emit('stream', frame));
  const line: WindowLine = {
    openSession: (message) => ask(socket, 'open-session', message, openTimeoutMs),
    async closeSession(message) {
      await ask(socket, 'close-session', message, closeTimeoutMs);
    },
    openStream: (sessionId) => mux.open(sessionId),
    refuse(detail) {
      socket.emit('refused', { detail });
      socket.disconnect(true);
    },
  };
  return { line, mux };
}

function ask(socket: Socket, name: string, message: unknown, timeoutMs: number): Promise<Acknowledgement> {
  return new Promise((resolve) => {
    const onLost = () => resolve({ ok: false, detail: 'the connection to the window was lost' });
    if (!socket.connected) return onLost();
    socket.once('disconnect', onLost);
    socket.timeout(timeoutMs).emit(name, message, (error: Error | null, answer: unknown) => {
      socket.off('disconnect', onLost);
      const detail = `the window did not answer within ${timeoutMs / 1000} seconds`;
      if (error !== null) return resolve({ ok: false, detail });
      resolve(readAnswer(answer));
    });
  });
}

function readAnswer(answer: unknown): Acknowledgement {
  const { success, data } = acknowledgement.safeParse(answer);
  if (!success) return { ok: false, detail: 'the window answered something else' };
  return data.ok ? data : { ok: false, detail: plainText(data.detail) };
}
