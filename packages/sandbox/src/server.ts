import { setTimeout as delay } from 'node:timers/promises';
import type { Executor } from '@fairlead/executor';
import { acceptUpgrades, createHttpServer, serve, Tickets } from '@fairlead/http';
import { Actions } from './actions.ts';
import { createDoor } from './http/door.ts';
import { listen, type ListenOn } from './http/listen.ts';
import { EventStream } from './journal/event-stream.ts';
import { Journal } from './journal/journal.ts';
import { holdLease } from './lease.ts';
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
  const door = createDoor(sandbox, { listenOn, sessionApiKey: options.sessionApiKey });
  const http = createHttpServer((request, response) => void serve(door, request, response));
  const upgrades = acceptUpgrades(http, door);
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
