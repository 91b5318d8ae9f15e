import { type FSWatcher, watch } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { DriverError } from './driver.ts';
import { runFiles } from './inside.ts';
import { logTail } from './log-tail.ts';
import { connectToSandbox } from './sandbox-socket.ts';

export interface AwaitSocketOptions {
  /** The run directory on this machine. */
  run: string;
  timeoutMs: number;
  /** Fulfilled, with how it ended, when the sandbox is gone: nothing will answer then. */
  gone: Promise<string>;
}

/** A watched directory tells of the socket at once; this is for what it misses. */
const pollMs = 50;
/** From the socket file to a server that listens on it. */
const retryMs = 2;
const answerTimeoutMs = 2_000;

/** Resolves when the sandbox server answers. Rejects with a `DriverError` that has the end of the server's log. */
export async function awaitSocket({ run, timeoutMs, gone }: AwaitSocketOptions): Promise<void> {
  let end: string | undefined;
  let wake: (() => void) | undefined;
  void gone.then((how) => {
    end = how;
    wake?.();
  });
  const watcher = watchDirectory(run, () => wake?.());
  const deadlineMs = performance.now() + timeoutMs;
  try {
    for (;;) {
      const answer = await ask(join(run, runFiles.socket));
      if (answer === 'ready') return;
      if (end !== undefined) throw new DriverError(`The sandbox did not start: ${end}${logTail(run)}`);
      if (performance.now() > deadlineMs) {
        throw new DriverError(
          `The sandbox did not answer within ${timeoutMs / 1000} seconds; is the machine overloaded?${logTail(run)}`,
        );
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, answer === 'refused' ? retryMs : pollMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  } finally {
    watcher?.close();
  }
}

/** Undefined where the machine has no more watches to give. */
function watchDirectory(path: string, onChange: () => void): FSWatcher | undefined {
  try {
    return watch(path, onChange).on('error', () => {});
  } catch {
    return undefined;
  }
}

/** `refused`: there is a socket, and nobody listens on it yet, or any more. */
function ask(socketPath: string): Promise<'ready' | 'refused' | 'missing'> {
  return new Promise((resolve) => {
    let socket;
    try {
      socket = connectToSandbox(socketPath);
    } catch {
      resolve('missing');
      return;
    }
    const asked = request({ path: '/alive', headers: { host: 'sandbox' }, createConnection: () => socket });
    // Of the whole answer: whoever sends a byte now and then keeps nobody waiting.
    const deadline = setTimeout(() => asked.destroy(), answerTimeoutMs);
    asked.on('close', () => {
      clearTimeout(deadline);
      resolve('refused');
    });
    asked.on('error', () => resolve('refused'));
    asked.on('response', (response) => {
      response.resume();
      resolve(response.statusCode === 200 ? 'ready' : 'refused');
      asked.destroy();
    });
    asked.end();
  });
}
