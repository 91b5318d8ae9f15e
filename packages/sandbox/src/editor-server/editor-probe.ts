import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

const { request } = process.getBuiltinModule('node:http');

const betweenProbesMs = 50;
/** Its first answer may need all of VS Code to be loaded. */
const answerTimeoutMs = 30_000;

/** Resolves with its version when the editor answers; with nothing when the signal comes first. */
export async function untilAnswering(socket: string, signal: AbortSignal): Promise<string | undefined> {
  for (;;) {
    const version = await askVersion(socket, { signal });
    if (version !== undefined || signal.aborted) return version;
    await delay(betweenProbesMs);
  }
}

/** What every VS Code server answers to everybody: its commit. Nothing where none answers. */
export function askVersion(
  socket: string,
  { signal, timeoutMs = answerTimeoutMs }: { signal?: AbortSignal; timeoutMs?: number } = {},
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const asked = request({
      socketPath: socket,
      path: '/version',
      agent: false,
      timeout: timeoutMs,
      ...(signal && { signal }),
    });
    asked.on('response', (response) => {
      const version = text(response).then((body) => (response.statusCode === 200 ? body.trim() : undefined));
      version.then(resolve, () => resolve(undefined));
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(undefined));
    asked.end();
  });
}

/** Whether any process listens, also one that is stopped or busy. */
export function isListening(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket, () => {
      connection.destroy();
      resolve(true);
    });
    connection.on('error', () => resolve(false));
  });
}
