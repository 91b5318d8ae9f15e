import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  acceptUpgrades,
  createHttpServer,
  createRouter,
  type Door,
  type RouteEntry,
  serve,
} from '@fairlead/http';
import type { Context } from './sandbox.ts';
import { openWork, type WorkOptions } from './work.ts';

const lastAnswersMs = 500;

export interface ConnectedServerOptions extends WorkOptions {
  /** `workRoutes`, or some of them. */
  routes: readonly RouteEntry<Context>[];
}

export interface ConnectedServer {
  /** Serves HTTP on a connection. Whoever hands it over has seen to it that its other end may do everything. */
  accept(connection: Duplex): void;
  /** Cancels what runs, answers it within the time, then ends every process of the session. */
  close(drainTimeoutMs: number): Promise<void>;
}

/** The server of a session that listens nowhere: it is handed its connections. */
export function serveConnections(options: ConnectedServerOptions): ConnectedServer {
  const work = openWork(options);
  const { sandbox } = work;
  const door: Door<Context> = {
    routes: options.routes,
    findRoute: createRouter(options.routes),
    enter: () => ({ sandbox }),
    log: options.log,
  };
  const answers = new Set<ServerResponse>();
  const http = createHttpServer((request, response) => {
    answers.add(response);
    response.once('close', () => answers.delete(response));
    void serve(door, request, response);
  });
  const upgrades = acceptUpgrades(http, door);
  const connections = new Set<Duplex>();
  sandbox.actions.resumeUnfinished();

  let closing: Promise<void> | undefined;
  return {
    accept(connection) {
      // The server hears of errors itself; one that is not heard would end the process.
      connection.on('error', () => undefined);
      if (closing !== undefined) return void connection.destroy();
      connections.add(connection);
      connection.once('close', () => connections.delete(connection));
      http.emit('connection', connection);
    },
    close: (drainTimeoutMs) => (closing ??= close(drainTimeoutMs)),
  };

  async function close(drainTimeoutMs: number): Promise<void> {
    await sandbox.actions.drain(drainTimeoutMs);
    upgrades.close();
    await Promise.all([work.end(), answered()]);
    for (const connection of connections) connection.destroy();
    work.close();
  }

  async function answered(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, lastAnswersMs)));
    const all = [...answers].map((answer) => new Promise((resolve) => answer.once('close', resolve)));
    await Promise.race([Promise.all(all), late]);
    clearTimeout(timer);
  }
}
