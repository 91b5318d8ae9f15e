import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const retryMs = 1;
const limitMs = 20_000;
const request = 'GET /alive HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';

/** Knocks until a server on that port answers. */
export async function firstAlive(port: number): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await isAlive(port))) {
    if (performance.now() > deadline) throw new Error(`No answer on port ${port} within ${limitMs} ms`);
    await delay(retryMs);
  }
}

function isAlive(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    socket.on('data', (answer) => {
      resolve(answer.includes('HTTP/1.1 200'));
      socket.destroy();
    });
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(false));
  });
}
