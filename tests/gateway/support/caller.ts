import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import type { CreatedSession, CreateSessionInput, Session, SessionEvent } from '@fairlead/protocol';
import { Watcher } from './watcher.ts';

type Headers = Record<string, string>;

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  json: Record<string, unknown>;
}

export interface Ran {
  status: number;
  observation: string;
  content: string;
  exitCode: number;
  actionId: string;
  isReplay: boolean;
}

export interface RunOptions {
  /** Its Idempotency-Key. */
  key?: string;
  actionId?: string;
  shell?: string;
  timeout?: number;
}

/** What an owner, or the holder of a session's key, does by HTTP. */
export class Caller {
  readonly key: string;
  readonly #port: number;
  readonly #basePath: string;

  constructor(port: number, key: string, basePath = '') {
    this.#port = port;
    this.key = key;
    this.#basePath = basePath;
  }

  /** Of the gateway. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}${this.#basePath}`;
  }

  with(key: string): Caller {
    return new Caller(this.#port, key, this.#basePath);
  }

  call(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = httpRequest(
        {
          host: '127.0.0.1',
          port: this.#port,
          method,
          path: this.#basePath + path,
          agent: false,
          headers: { authorization: `Bearer ${this.key}`, ...headers },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            const isJson = response.headers['content-type'] === 'application/json' && text !== '';
            const json = isJson ? (JSON.parse(text) as Record<string, unknown>) : {};
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json });
          });
        },
      );
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  tryCreate(request: CreateSessionInput = {}): Promise<Answer> {
    return this.call('POST', '/api/sessions', request);
  }

  async create(request: CreateSessionInput = {}): Promise<CreatedSession> {
    return expected(await this.tryCreate(request), 201) as unknown as CreatedSession;
  }

  async session(id: string): Promise<Session> {
    return expected(await this.call('GET', `/api/sessions/${id}`), 200) as unknown as Session;
  }

  async sessions(query = ''): Promise<Session[]> {
    const { sessions } = expected(await this.call('GET', `/api/sessions${query}`), 200);
    return sessions as Session[];
  }

  async change(id: string, how: 'pause' | 'resume' | 'stop'): Promise<Session> {
    return expected(await this.call('POST', `/api/sessions/${id}/${how}`), 200) as unknown as Session;
  }

  async extend(id: string, seconds?: number): Promise<Session> {
    const body = seconds === undefined ? {} : { seconds };
    return expected(await this.call('POST', `/api/sessions/${id}/extend`, body), 200) as unknown as Session;
  }

  async remove(id: string): Promise<void> {
    expected(await this.call('DELETE', `/api/sessions/${id}`), 204);
  }

  act(id: string, event: Record<string, unknown>, { key, actionId }: RunOptions = {}): Promise<Answer> {
    return this.call('POST', `/api/sessions/${id}/actions`, event, {
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(actionId !== undefined && { 'x-action-id': actionId }),
    });
  }

  /** With `blocking`, so that a quiet command is waited for. */
  async run(id: string, command: string, options: RunOptions = {}): Promise<Ran> {
    return toRan(await this.act(id, runEvent(command, options), options));
  }

  /** As an OpenHands client does. */
  async runV0(id: string, command: string, { key = '', ...options }: RunOptions = {}): Promise<Ran> {
    const body = { action: runEvent(command, options) };
    return toRan(await this.call('POST', `/runtimes/${id}/execute_action`, body, { 'idempotency-key': key }));
  }

  async journal(id: string): Promise<SessionEvent[]> {
    const { status, text } = await this.call('GET', `/api/sessions/${id}/journal`);
    if (status !== 200) throw new Error(`the journal of ${id}: ${status} ${text}`);
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as SessionEvent);
  }

  watch(id: string, after?: number): Watcher {
    const query = after === undefined ? '' : `?after=${after}`;
    const url = `ws://127.0.0.1:${this.#port}${this.#basePath}/api/sessions/${id}/events${query}`;
    return new Watcher(url, { authorization: `Bearer ${this.key}` });
  }
}

export function runEvent(command: string, { shell, timeout = 60 }: RunOptions = {}): Record<string, unknown> {
  return { action: 'run', args: { command, blocking: true }, timeout, ...(shell !== undefined && { shell }) };
}

function toRan({ status, headers, json }: Answer): Ran {
  const { observation, content, detail, extras } = json as {
    observation?: string;
    content?: string;
    detail?: string;
    extras?: { metadata?: { exit_code?: number } };
  };
  return {
    status,
    observation: observation ?? '',
    content: content ?? detail ?? '',
    exitCode: extras?.metadata?.exit_code ?? -1,
    actionId: String(headers['x-action-id'] ?? ''),
    isReplay: headers['idempotent-replayed'] === 'true',
  };
}

function expected(answer: Answer, status: number): Record<string, unknown> {
  if (answer.status !== status)
    throw new Error(`expected ${status}, and got ${answer.status}: ${answer.text.slice(0, 1_000)}`);
  return answer.json;
}
