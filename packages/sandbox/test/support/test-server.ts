import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Executor } from '@fairlead/executor';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { type SandboxServer, type ServerOptions, startServer } from '../../src/index.ts';
import { ScriptedExecutor } from './scripted-executor.ts';

export interface TestServer<Runner extends Executor = ScriptedExecutor> {
  server: SandboxServer & { port: number };
  executor: Runner;
  workspace: string;
  sessionDir: string;
  logged: string[];
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  act(event: Record<string, unknown>, headers?: Record<string, string>): Promise<Answer>;
  watch(path: string, headers?: Record<string, string>): Watcher;
}

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects, and fails where it is not
export type Json = any;

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  json: Json;
}

export async function temporaryDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'sandbox-test-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

export function startTestServer(options: Partial<ServerOptions> = {}): Promise<TestServer> {
  return startTestServerOn(new ScriptedExecutor(), options);
}

export async function startTestServerOn<Runner extends Executor>(
  executor: Runner,
  options: Partial<ServerOptions> = {},
): Promise<TestServer<Runner>> {
  const workspace = options.workspace ?? (await temporaryDirectory());
  const sessionDir = options.sessionDir ?? (await temporaryDirectory());
  const logged: string[] = [];
  const log = (line: string) => void logged.push(line);
  const started = await startServer({
    listenOn: { kind: 'port', host: '127.0.0.1', port: 0, allowedHosts: [] },
    log,
    ...options,
    executor,
    workspace,
    sessionDir,
  });
  const server = { ...started, port: Number(new URL(started.url).port) };
  onTestFinished(() => server.close());
  const get: TestServer['get'] = (path, headers) => call(server.port, 'GET', path, undefined, headers);
  const post: TestServer['post'] = (path, body, headers) =>
    call(server.port, 'POST', path, typeof body === 'string' ? body : JSON.stringify(body), headers);
  return {
    server,
    executor,
    workspace,
    sessionDir,
    logged,
    get,
    post,
    act: (event, headers) => post('/execute_action', { action: event }, headers),
    watch: (path, headers) => new Watcher(`ws://127.0.0.1:${server.port}${path}`, headers),
  };
}

export function run(command: string, args: Record<string, unknown> = {}): Record<string, unknown> {
  return { action: 'run', args: { command, ...args } };
}

/** To a port, or to the path of a Unix socket. Not fetch: it refuses to send a foreign Host. */
export function call(
  to: number | string,
  method: string,
  path: string,
  body?: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const address = typeof to === 'number' ? { host: '127.0.0.1', port: to } : { socketPath: to };
    const request = httpRequest({ ...address, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('latin1');
        const isJson = response.headers['content-type'] === 'application/json' && text !== '';
        const json: unknown = isJson ? JSON.parse(Buffer.from(text, 'latin1').toString()) : undefined;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** A WebSocket whose messages can be awaited. */
export class Watcher {
  readonly socket: WebSocket;
  readonly messages: Buffer[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  #wake: () => void = () => undefined;

  constructor(url: string, headers: Record<string, string> = {}) {
    this.socket = new WebSocket(url, { headers });
    onTestFinished(() => this.socket.terminate());
    this.socket.on('message', (data: Buffer) => {
      this.messages.push(data);
      this.#wake();
    });
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
    });
  }

  get events(): Json[] {
    return this.messages.map((message) => JSON.parse(String(message)));
  }

  get bytes(): Buffer {
    return Buffer.concat(this.messages);
  }

  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.on('open', () => resolve());
      this.socket.on('error', reject);
    });
  }

  /** Resolves with the status of a refused connection. */
  refused(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
      this.socket.on('open', () => reject(new Error('the connection was accepted')));
    });
  }

  async until(isEnough: (watcher: this) => boolean): Promise<void> {
    while (!isEnough(this)) await new Promise<void>((resolve) => (this.#wake = resolve));
  }
}
