import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Executor } from '@fairlead/executor';
import { Actions } from './actions.ts';
import { createGuard } from './http/guard.ts';
import { acceptUpgrades } from './http/upgrade.ts';
import { serve } from './http/serve.ts';
import { Tickets } from './http/tickets.ts';
import { createRouter } from './http/router.ts';
import { EventStream } from './journal/event-stream.ts';
import { Journal } from './journal/journal.ts';
import { routeTable } from './routes/table.ts';
import type { Sandbox } from './sandbox.ts';
import { TerminalViewers } from './terminal-viewers.ts';

// An `import` of node:http also loads everything behind its lazy exports: 15 ms of the start.
const { createServer } = process.getBuiltinModule('node:http');

const drainTimeoutMs = 2_000;
const endTimeoutMs = 5_000;

export interface ServerOptions {
  executor: Executor;
  workspace: string;
  sessionDir: string;
  host: string;
  /** 0 for any free one. */
  port: number;
  sessionApiKey?: string;
  allowedHosts?: string[];
  owner?: { uid: number; gid: number };
  /** Bytes of live output kept for watchers. */
  outputLimitBytes?: number;
  log(line: string): void;
}

export interface SandboxServer {
  readonly port: number;
  readonly url: string;
  /** Stops accepting, cancels what runs and answers it, then ends every process of the session. */
  close(): Promise<void>;
}

/** Serves an executor that is ready. Rejects with `EADDRINUSE` and the like when it cannot listen. */
export async function startServer(options: ServerOptions): Promise<SandboxServer> {
  const { executor, workspace, owner, host, log } = options;
  const journal = new Journal(options.sessionDir);
  const events = new EventStream(journal, executor.shells, options.outputLimitBytes);
  const actions = new Actions(executor, journal, events, log);
  const tickets = new Tickets();
  const viewers = new TerminalViewers();
  const sandbox: Sandbox = {
    executor,
    workspace,
    actions,
    events,
    tickets,
    viewers,
    log,
    ...(owner && { owner }),
  };
  const guard = createGuard({
    host,
    allowedHosts: options.allowedHosts ?? [],
    sessionApiKey: options.sessionApiKey,
  });
  const door = { sandbox, guard, routes: routeTable, findRoute: createRouter(routeTable) };
  const http = createHttpServer((request, response) => {
    void serve({ request, response, ...door });
  });
  const upgrades = acceptUpgrades(http, door);
  try {
    await listen(http, options.port, host);
  } catch (error) {
    events.close();
    journal.close();
    throw error;
  }
  actions.resumeUnfinished();

  const { port } = http.address() as AddressInfo;
  const shownHost = host.includes(':') ? `[${host}]` : host;
  let closing: Promise<void> | undefined;
  return { port, url: `http://${shownHost}:${port}`, close: () => (closing ??= close()) };

  async function close(): Promise<void> {
    const closed = new Promise((resolve) => http.close(resolve));
    await actions.drain(drainTimeoutMs);
    upgrades.close();
    http.closeIdleConnections();
    // A tmux that somebody has stopped must not keep the server from ending.
    await Promise.race([executor.close(), delay(endTimeoutMs, undefined, { ref: false })]);
    const lastAnswers = setTimeout(() => http.closeAllConnections(), 500);
    await closed;
    clearTimeout(lastAnswers);
    events.close();
    journal.close();
  }
}

function createHttpServer(listener: (request: IncomingMessage, response: ServerResponse) => void): Server {
  return createServer(
    {
      headersTimeout: 20_000,
      // Long uploads are watched for silence instead, and other bodies have a time of their own.
      requestTimeout: 0,
      connectionsCheckingInterval: 5_000,
      // Longer than any client keeps a connection, so that it is never closed under a request.
      keepAliveTimeout: 600_000,
      shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === 'websocket',
    },
    listener,
  );
}

function listen(http: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, host, () => {
      http.off('error', reject);
      resolve();
    });
  });
}
