import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { openExecutor } from '@fairlead/executor';
import {
  type Acknowledgement,
  type GatewayToWindow,
  type OpenSession,
  type Refused,
  type SessionNotice,
  type Welcome,
  type WindowFacts,
  windowNamespace,
  windowProtocolVersion,
  type WindowToGateway,
} from '@fairlead/protocol';
import { type ConnectedServer, diskFiles, serveConnections, workRoutes } from '@fairlead/sandbox/server';
import { StreamMux } from '@fairlead/tunnel';
import { io, type Socket } from 'socket.io-client';
import { onTestFinished } from 'vitest';

type Line = Socket<GatewayToWindow, WindowToGateway>;

export interface DialOptions {
  url: string;
  key?: string;
  code?: string;
}

/**
 * Stands in for a VS Code window: dials as the extension does, and serves real sessions, with real shells, on the streams that the
 * gateway opens. Its sessions live on when the connection does not.
 */
export class WindowPeer {
  readonly windowId = randomUUID();
  readonly workspace: string;
  readonly opened: OpenSession[] = [];
  readonly closed: { sessionId: string; reason: string }[] = [];
  readonly refusals: Refused[] = [];
  readonly #sessionDirs: string;
  readonly #servers = new Map<string, Promise<ConnectedServer>>();
  /** What the next session that is asked for is refused with. */
  refusal: string | undefined;
  #line: Line | undefined;
  #mux: StreamMux | undefined;

  constructor() {
    this.workspace = mkdtempSync(join(tmpdir(), 'fw-'));
    this.#sessionDirs = mkdtempSync(join(tmpdir(), 'fs-'));
    onTestFinished(() => this.end());
  }

  get name(): string {
    return basename(this.workspace);
  }

  get line(): Line {
    return this.#line!;
  }

  get mux(): StreamMux {
    return this.#mux!;
  }

  facts(changes: Partial<WindowFacts> = {}): WindowFacts {
    const { windowId, name, workspace: path } = this;
    return {
      windowId,
      name,
      folders: [{ name, uri: `file://${path}`, path }],
      vscodeVersion: '1.93.0',
      extensionVersion: '0.1.0',
      appName: 'stand-in',
      remoteName: null,
      isTrusted: true,
      capabilities: [],
      openSessions: [...this.#servers.keys()],
      ...changes,
    };
  }

  /** Resolves with the gateway's welcome; rejects with what it was refused with. */
  async dial({ url, ...proof }: DialOptions, changes: Partial<WindowFacts> = {}): Promise<Welcome> {
    const auth = { ...proof, protocolVersion: windowProtocolVersion, window: this.facts(changes) };
    const line: Line = io(`${url}${windowNamespace}`, {
      auth,
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
    });
    const mux = new StreamMux(
      (frame) => line.emit('stream', frame),
      (sessionId, stream) => {
        void this.#servers.get(sessionId)?.then((server) => server.accept(stream));
        if (!this.#servers.has(sessionId)) stream.destroy(new Error('no such session'));
      },
    );
    this.#line = line;
    this.#mux = mux;
    line.on('stream', (frame) => mux.receive(frame));
    line.on('disconnect', () => mux.close());
    line.on('refused', (refused) => this.refusals.push(refused));
    line.on('open-session', (message, acknowledge) => void this.#open(message).then(acknowledge));
    line.on('close-session', (message, acknowledge) => {
      this.closed.push(message);
      void this.#close(message.sessionId).then(() => acknowledge({ ok: true }));
    });
    return new Promise((resolve, reject) => {
      line.on('welcome', resolve);
      line.on('connect_error', (error: Error & { data?: unknown }) => {
        reject(Object.assign(error, { data: error.data }));
      });
    });
  }

  /** The connection breaks; what runs goes on. */
  drop(): void {
    this.line.io.engine.close();
  }

  async notice(sessionId: string, noticeId: string, notice: SessionNotice): Promise<Acknowledgement> {
    const time = new Date().toISOString();
    return this.line.emitWithAck('notice', { sessionId, noticeId, time, notice });
  }

  /** As when its user ends everything while there is no connection. */
  async forgetAll(): Promise<void> {
    await Promise.all([...this.#servers.keys()].map((id) => this.#close(id)));
    rmSync(this.#sessionDirs, { recursive: true, force: true });
  }

  async end(): Promise<void> {
    this.#line?.disconnect();
    await this.forgetAll();
    rmSync(this.workspace, { recursive: true, force: true });
  }

  async #open(message: OpenSession): Promise<Acknowledgement> {
    this.opened.push(message);
    const detail = this.refusal;
    this.refusal = undefined;
    if (detail !== undefined) return { ok: false, detail };
    const { sessionId } = message;
    if (!this.#servers.has(sessionId)) this.#servers.set(sessionId, this.#serve(message));
    await this.#servers.get(sessionId);
    return { ok: true };
  }

  async #serve({ sessionId, env, folder }: OpenSession): Promise<ConnectedServer> {
    const sessionDir = join(this.#sessionDirs, sessionId);
    const workspace = folder ?? this.workspace;
    const executor = await openExecutor({
      workspace,
      sessionDir,
      terminal: 'pty',
      noChangeTimeoutSeconds: 30,
      env: { PATH: process.env['PATH'] ?? '', ...env },
    });
    const files = diskFiles(workspace, undefined);
    return serveConnections({
      executor,
      workspace,
      sessionDir,
      files,
      routes: workRoutes,
      log: () => undefined,
    });
  }

  async #close(sessionId: string): Promise<void> {
    const server = this.#servers.get(sessionId);
    this.#servers.delete(sessionId);
    await (await server)?.close(0);
  }
}
