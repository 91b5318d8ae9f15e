import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Executor } from '@fairlead/executor';
import { createHttpServer, createUpgrades, refuseBadRequest, serve, Tickets } from '@fairlead/http';
import { Actions } from './actions.ts';
import type { EditorOptions } from './editor-server/editor-server.ts';
import { LazyEditor } from './editor-server/lazy-editor.ts';
import { createDoor } from './http/door.ts';
import { listen, type ListenOn } from './http/listen.ts';
import { EventStream } from './journal/event-stream.ts';
import { Journal } from './journal/journal.ts';
import { holdLease } from './lease.ts';
import type { Ports } from './ports/ports.ts';
import type { Sandbox } from './sandbox.ts';
import { TerminalViewers } from './terminal-viewers.ts';

const drainTimeoutMs = 2_000;
const endTimeoutMs = 5_000;

export interface ServerOptions {
  executor: Executor;
  workspace: string;
  sessionDir: string;
  listenOn: ListenOn;
  sessionApiKey?: string;
  /** How long the server stays when nobody asks for anything; without end when absent. */
  leaseSeconds?: number;
  owner?: { uid: number; gid: number };
  /** There is no web VS Code when absent. */
  editor?: EditorOptions;
  /** Bytes of live output kept for watchers. */
  outputLimitBytes?: number;
  log(line: string): void;
}

export interface SandboxServer {
  /** `http://…`, or `unix://` and the path of the socket. */
  readonly url: string;
  /** Resolves when the lease is over: it is time to close. Never without one. */
  readonly leaseEnded: Promise<void>;
  /** Stops accepting, cancels what runs and answers it, then ends every process of the session. */
  close(): Promise<void>;
}

/** Serves an executor that is ready. Rejects with `EADDRINUSE` and the like when it cannot listen. */
export async function startServer(options: ServerOptions): Promise<SandboxServer> {
  const { executor, workspace, owner, listenOn, leaseSeconds, log } = options;
  const journal = new Journal(options.sessionDir);
  const events = new EventStream(journal, executor.shells, options.outputLimitBytes);
  const actions = new Actions(executor, journal, events, log);
  const tickets = new Tickets<true>();
  const viewers = new TerminalViewers();
  const editor = new LazyEditor(options.editor);
  const loadPorts = portsLoader((pid) => executor.shells.holds(pid) || editor.holds(pid));
  const sandbox: Sandbox = {
    executor,
    workspace,
    actions,
    events,
    tickets,
    viewers,
    editor: () => editor.get(),
    ports: loadPorts,
    log,
    ...(owner && { owner }),
  };
  const door = createDoor(sandbox, { listenOn, sessionApiKey: options.sessionApiKey });
  const http = createHttpServer(
    (request, response) => void serve(door, request, response),
    ['websocket', 'tcp'],
  );
  const upgrades = createUpgrades(door);
  http.on('clientError', refuseBadRequest);
  const tunnels = new Set<Duplex>();
  http.on('upgrade', (request, connection, head) => {
    if (request.headers.upgrade?.toLowerCase() === 'websocket')
      return upgrades.accept(request, connection, head);
    tunnels.add(connection);
    connection.once('close', () => tunnels.delete(connection));
    void import('./ports/tunnel.ts').then(({ acceptTunnel }) =>
      acceptTunnel(door, request, connection, head),
    );
  });
  const url = await listen(http, listenOn).catch((error: unknown) => {
    events.close();
    journal.close();
    throw error;
  });
  actions.resumeUnfinished();
  // Whoever waited for the server has it now. What the first action needs is loaded before it comes: 50 ms of it.
  http.once('request', (_request, response) => {
    response.once('close', () => void import('./routes/execute-action.ts').catch(() => undefined));
  });
  const lease = leaseSeconds === undefined ? undefined : holdLease(http, leaseSeconds);

  let closing: Promise<void> | undefined;
  return {
    url,
    leaseEnded: lease?.ended ?? new Promise(() => undefined),
    close: () => (closing ??= close()),
  };

  async function close(): Promise<void> {
    lease?.close();
    const closed = new Promise((resolve) => http.close(resolve));
    await actions.drain(drainTimeoutMs);
    upgrades.close();
    for (const tunnel of tunnels) tunnel.destroy();
    http.closeIdleConnections();
    // A tmux that somebody has stopped must not keep the server from ending.
    await Promise.race([
      Promise.all([executor.close(), editor.close()]),
      delay(endTimeoutMs, undefined, { ref: false }),
    ]);
    const lastAnswers = setTimeout(() => http.closeAllConnections(), 500);
    await closed;
    clearTimeout(lastAnswers);
    events.close();
    journal.close();
  }
}

function portsLoader(holds: (pid: number) => boolean): () => Promise<Ports> {
  const parentAtStart = process.ppid;
  let loading: Promise<Ports> | undefined;
  return () =>
    (loading ??= import('./ports/ports.ts').then(
      ({ Ports, ownProcesses }) => new Ports(ownProcesses(holds, parentAtStart)),
    ));
}
