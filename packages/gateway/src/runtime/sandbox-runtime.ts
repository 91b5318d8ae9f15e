import type { Socket } from 'node:net';
import { Pool } from 'undici';
import { connectToSandbox } from '../drivers/sandbox-socket.ts';
import { AnswerReader } from './answer-reader.ts';
import { errorAnswer } from './error-answer.ts';
import { isObservation } from './observation-text.ts';
import {
  ConnectionLost,
  type Runtime,
  type RuntimeAction,
  type RuntimeListener,
  type RuntimeWatch,
} from './runtime.ts';
import { watchSandbox } from './watch-sandbox.ts';

/** The sandbox server of one session, over its Unix socket. What it says may be a program's that took its place. */
export class SandboxRuntime implements Runtime {
  readonly socketPath: string;
  readonly http: Pool;
  readonly #answers = new AnswerReader();

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
    if (status === 200 && isObservation(text)) return text.replaceAll(/[\r\n]/g, ' ');
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
      return { status: answer.statusCode, text: await this.#answers.read(answer, signal) };
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

function detailOf(text: string): string {
  try {
    if (!isObservation(text)) return text.slice(0, 500);
    const { detail, errors } = JSON.parse(text) as { detail?: unknown; errors?: unknown };
    const reason = errors ?? detail;
    return (typeof reason === 'string' ? reason : text).slice(0, 500);
  } catch {
    return text.slice(0, 500);
  }
}
