import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

/** Not among Node's constants; the same number on every Linux. */
const O_PATH = 0o10000000;

/**
 * Connects to the socket file itself, never to what a link in its place points at: the directory belongs to the sandbox,
 * which could otherwise have the gateway talk to any socket of the machine. Throws where there is no socket.
 */
export function connectToSandbox(socketPath: string): Socket {
  const file = openSync(socketPath, O_PATH | constants.O_NOFOLLOW);
  try {
    if (!fstatSync(file).isSocket()) throw new Error(`${socketPath} is not a socket`);
    const socket = connect(`/proc/self/fd/${file}`);
    // The name must stand until the connection does.
    let isOpen = true;
    for (const event of ['connect', 'close'] as const) {
      socket.once(event, () => {
        if (isOpen) closeSync(file);
        isOpen = false;
      });
    }
    return socket;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}
