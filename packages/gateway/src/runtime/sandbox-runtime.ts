import type { Socket } from 'node:net';
import { type Dispatcher, Pool } from 'undici';
import { connectToSandbox } from '../drivers/sandbox-socket.ts';
import { errorAnswer } from './error-answer.ts';
import {
  ConnectionLost,
  type Runtime,
  type RuntimeAction,
  type RuntimeListener,
  type RuntimeWatch,
} from './runtime.ts';
import { watchSandbox } from './watch-sandbox.ts';

/** Above the largest file that a sandbox reads at once. */
const answerLimitBytes = 128 * 1024 * 1024;

/** The sandbox server of one session, over its Unix socket. What it says may be a program's that took its place. */
export class SandboxRuntime implements Runtime {
  readonly socketPath: string;
  readonly http: Pool;

  constructor(socketPath: string) {
    this.socketPath = socketPath;
    // An action may take as long as it likes; its deadline is the sandbox's to keep.
    this.http = new Pool('http://sandbox', {
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: 300_000,
      connect: (_options, callback) => connect(socketPath, callback),
    });
  }

  async execute({ actionId, event, isResumed, signal }: RuntimeAction): Promise<string> {
    const { status, text } = await this.#post('/execute_action', JSON.stringify({ action: event }), signal, {
      'idempotency-key': actionId,
      'x-action-id': actionId,
      ...(isResumed && { 'x-resume-only': 'true' }),
    });
    // On one line, as the journal shows it: a line break in JSON is a blank.
    if (status === 200 && isJsonObject(text)) return text.replaceAll(/[\r\n]/g, ' ');
    // It is ending; its successor knows what became of the action.
    if (status === 503 && !text.includes('recorded')) throw new ConnectionLost('the sandbox is ending', true);
    const why = status === 200 ? 'it answered with something else than an observation' : detailOf(text);
    return errorAnswer(event, `ERROR: The sandbox refused the action (${status}): ${why}`);
  }

  async isAlive(timeoutMs: number): Promise<boolean> {
    try {
      const { statusCode, body } = await this.http.request({
        path: '/alive',
        method: 'GET',
        signal: AbortSignal.timeout(timeoutMs),
      });
      await body.dump();
      return statusCode === 200;
    } catch {
      return false;
    }
  }

  watch(listener: RuntimeListener, place: number | undefined): RuntimeWatch {
    return watchSandbox(this.socketPath, listener, place);
  }

  async close(): Promise<void> {
    await this.http.destroy();
  }

  async #post(
    path: string,
    body: string,
    signal: AbortSignal,
    headers: Record<string, string>,
  ): Promise<{ status: number; text: string }> {
    try {
      const answer = await this.http.request({ path, method: 'POST', body, signal, headers });
      return { status: answer.statusCode, text: await readAnswer(answer) };
    } catch (error) {
      throw new ConnectionLost((error as Error).message, !(error instanceof NeverConnected));
    }
  }
}

/** Nothing can have been sent. */
class NeverConnected extends Error {}

function connect(socketPath: string, callback: (...outcome: [null, Socket] | [Error, null]) => void): void {
  const onError = (error: Error) => callback(new NeverConnected(error.message), null);
  let socket: Socket;
  try {
    socket = connectToSandbox(socketPath);
  } catch (error) {
    return onError(error as Error);
  }
  socket.once('error', onError);
  socket.once('connect', () => {
    socket.off('error', onError);
    callback(null, socket);
  });
}

/** The server always tells the length, and no more than that is read. */
async function readAnswer({ headers, body }: Dispatcher.ResponseData): Promise<string> {
  if (Number(headers['content-length']) <= answerLimitBytes) return body.text();
  body.on('error', () => undefined).destroy();
  return '';
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function detailOf(text: string): string {
  try {
    const { detail, errors } = JSON.parse(text) as { detail?: string; errors?: string };
    return errors ?? detail ?? text;
  } catch {
    return text.slice(0, 500);
  }
}
