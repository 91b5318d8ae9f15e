import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { io, type Socket } from 'socket.io-client';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { AuditLog } from '../../../src/auth/audit-log.ts';
import { createApiKey } from '../../../src/auth/keys.ts';
import { randomId } from '../../../src/auth/random-text.ts';
import { SessionKeys } from '../../../src/auth/session-keys.ts';
import { type GatewayServer, type GatewayServerOptions, startGatewayServer } from '../../../src/server.ts';
import { openSqliteStore } from '../../../src/store/sqlite-store.ts';
import type { OwnerRecord, SessionRecord, Store } from '../../../src/store/store.ts';
import { type PlaceUrlOptions, PlaceUrls } from '../../../src/web/place-urls.ts';
import { Windows } from '../../../src/windows/windows.ts';
import { ScriptedSessions } from './scripted-sessions.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects, and fails where it is not
export type Json = any;
export type Headers = Record<string, string>;

export interface Tenant {
  owner: OwnerRecord;
  keyId: string;
  /** With the owner's key. */
  headers: Headers;
  session: SessionRecord;
  /** With the session's key. */
  sessionHeaders: Headers;
}

export interface TestGateway {
  server: GatewayServer;
  store: Store;
  sessions: ScriptedSessions;
  sessionKeys: SessionKeys;
  windows: Windows;
  logged: string[];
  addTenant(name: string): Promise<Tenant>;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  watch(path: string, headers?: Headers): Watcher;
  connect(auth: Record<string, string>, headers?: Headers): Socket;
  audited(): Promise<Json[]>;
}

/** The real server on a real store, with sessions that a test controls. */
export async function startTestGateway(
  options: Partial<GatewayServerOptions & PlaceUrlOptions> = {},
): Promise<TestGateway> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-test-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const store = openSqliteStore(join(directory, 'fairlead.db'));
  onTestFinished(() => store.close());
  const sessionKeys = SessionKeys.open(directory);
  const sessions = new ScriptedSessions(store);
  const windows = new Windows();
  const logged: string[] = [];
  const log = (line: string) => void logged.push(line);
  const auditPath = join(directory, 'audit.jsonl');
  const audit = new AuditLog(auditPath, log);
  const server = await startGatewayServer({
    host: '127.0.0.1',
    port: 0,
    allowedHosts: [],
    store,
    sessions,
    sessionKeys,
    audit,
    urls: new PlaceUrls({ host: '127.0.0.1', ...options }),
    defaultDriver: 'local',
    windows,
    gatewayId: 'test-gateway',
    log,
    ...options,
  });
  onTestFinished(async () => {
    await server.close();
    await audit.close();
  });
  return {
    server,
    store,
    sessions,
    sessionKeys,
    windows,
    logged,
    addTenant: (name) => addTenant(name, { store, sessions, sessionKeys }),
    call: (method, path, given) => call(server.port, method, path, given),
    watch: (path, headers) => new Watcher(`ws://127.0.0.1:${server.port}${path}`, headers),
    connect: (auth, headers) => connect(server.port, auth, headers),
    async audited() {
      await audit.close();
      const text = await readFile(auditPath, 'utf8');
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    },
  };
}

async function addTenant(
  name: string,
  { store, sessions, sessionKeys }: Pick<TestGateway, 'store' | 'sessions' | 'sessionKeys'>,
): Promise<Tenant> {
  const owner: OwnerRecord = { id: randomId(12), name, role: 'tenant', createdAt: new Date().toISOString() };
  await store.owners.add(owner);
  const { text, record } = await createApiKey(store, owner, 'test');
  const session = await sessions.add(owner.id, { externalId: `name-of-${name}` });
  return {
    owner,
    keyId: record.id,
    headers: { authorization: `Bearer ${text}` },
    session,
    sessionHeaders: { 'x-session-api-key': sessionKeys.keyOf(session.id) },
  };
}

export interface CallOptions {
  headers?: Headers;
  /** Objects are sent as JSON. */
  body?: unknown;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  json: Json;
}

/** Not fetch: it refuses to send a foreign Host. */
function call(
  port: number,
  method: string,
  path: string,
  { headers = {}, body }: CallOptions = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = response.headers['content-type'] === 'application/json' && text !== '';
        const json: unknown = isJson ? JSON.parse(text) : undefined;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json });
      });
    });
    request.on('error', reject);
    request.end(bodyText(body));
  });
}

function bodyText(body: unknown): string | Buffer | undefined {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return body;
  return JSON.stringify(body);
}

function connect(port: number, auth: Record<string, string>, extraHeaders: Headers = {}): Socket {
  const socket = io(`http://127.0.0.1:${port}/sessions`, {
    auth,
    extraHeaders,
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
  });
  onTestFinished(() => void socket.disconnect());
  return socket;
}

/** Resolves when it is let in, or with what it is refused with. */
export function connected(socket: Socket): Promise<Json> {
  return new Promise((resolve) => {
    socket.on('connect', () => resolve('connected'));
    socket.on('connect_error', (error: Error & { data?: unknown }) => resolve(error.data ?? error.message));
  });
}

/** A WebSocket whose messages can be awaited. */
export class Watcher {
  readonly socket: WebSocket;
  readonly messages: Buffer[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  /** Resolves with the status and body of a refusal, or `undefined` when the connection is open. */
  readonly refusal: Promise<{ status: number; text: string } | undefined>;
  #wake: () => void = () => undefined;

  constructor(url: string, headers: Headers = {}) {
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
    this.refusal = new Promise((resolve) => {
      this.socket.on('open', () => resolve(undefined));
      this.socket.on('unexpected-response', (_request, response) => {
        let text = '';
        response.on('data', (chunk) => (text += String(chunk)));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
    });
  }

  get events(): Json[] {
    return this.messages.map((message) => JSON.parse(String(message)));
  }

  async until(isEnough: (watcher: this) => boolean): Promise<void> {
    while (!isEnough(this)) await new Promise<void>((resolve) => (this.#wake = resolve));
  }
}
