import type { Duplex } from 'node:stream';
import { createHttpServer, createUpgrades, refuseBadRequest, serve, Tickets } from '@fairlead/http';
import { diskFiles } from './disk-files.ts';
import type { EditorOptions } from './editor-server/editor-server.ts';
import { LazyEditor } from './editor-server/lazy-editor.ts';
import { createDoor } from './http/door.ts';
import { listen, type ListenOn } from './http/listen.ts';
import { holdLease } from './lease.ts';
import type { Ports } from './ports/ports.ts';
import type { MachineSandbox } from './sandbox.ts';
import { openWork, type WorkOptions } from './work.ts';

const drainTimeoutMs = 2_000;

export interface ServerOptions extends Omit<WorkOptions, 'files'> {
  /** Whose uploaded files are; the server's own user's when absent. */
  owner?: { uid: number; gid: number };
  listenOn: ListenOn;
  sessionApiKey?: string;
  /** How long the server stays when nobody asks for anything; without end when absent. */
  leaseSeconds?: number;
  /** There is no web VS Code when absent. */
  editor?: EditorOptions;
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
  const { executor, workspace, owner, listenOn, leaseSeconds } = options;
  const work = openWork({ ...options, files: diskFiles(workspace, owner) });
  const { actions } = work.sandbox;
  const editor = new LazyEditor(options.editor);
  const sandbox: MachineSandbox = {
    ...work.sandbox,
    tickets: new Tickets<true>(),
    editor: () => editor.get(),
    ports: portsLoader((pid) => executor.shells.holds(pid) || editor.holds(pid)),
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
    work.close();
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
    await work.end(editor.close());
    const lastAnswers = setTimeout(() => http.closeAllConnections(), 500);
    await closed;
    clearTimeout(lastAnswers);
    work.close();
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
