import type { WebSocket } from 'ws';

/** What a stream is ended with whose key, cookie or owner is valid no longer. */
export const noLongerValid = {
  status: 401,
  detail: 'The key or login that this was opened with is not valid any more',
};

/** As 4000 and the status, which is what WebSockets have numbers for. */
const closeCode = 4401;
const closeLimitMs = 1_000;

/** Says why, and takes nothing more from whoever was let in. */
export function endSocket(socket: WebSocket): void {
  socket.removeAllListeners('message');
  // One that is held back would not hear the answer.
  socket.resume();
  socket.close(closeCode, noLongerValid.detail);
  const stalled = setTimeout(() => socket.terminate(), closeLimitMs).unref();
  socket.on('close', () => clearTimeout(stalled));
}
