import { bridgeVariablePrefixes } from '@fairlead/protocol';
import { isAlive } from '../is-alive.ts';
import type { Kept } from '../kept.ts';
import { type RunRecord, Runs } from './runs.ts';
import { BridgeServer, type ServerParts } from './server.ts';

export interface BridgeParts extends Omit<ServerParts, 'runs' | 'ended'> {
  /** Where runs outlive a reload of the window. */
  store: Kept;
  /** The port the user chose, or 0. */
  port(): number;
  /** How long another extension host may hold the port after a reload. */
  restoreTimeoutMs: number;
  /** The run's token is not good any more. */
  runEnded(runId: string, exitCode: number | null): void;
  log(line: string): void;
}

export interface StartedRun {
  id: string;
  /** For the program. */
  env: Record<string, string>;
  /** From now on the run outlives the extension host, as long as this process lives. */
  setProcess(pid: number): void;
  end(): void;
}

const processCheckMs = 2_000;
const retryMs = 250;

/** The bridge as a whole: its server runs as long as there is a run. */
export class Bridge {
  readonly #parts: BridgeParts;
  readonly #runs: Runs;
  #server: { port: number; server: BridgeServer } | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> = Promise.resolve();
  #watch: NodeJS.Timeout | undefined;

  constructor(parts: BridgeParts) {
    this.#parts = parts;
    this.#runs = new Runs(parts.store);
  }

  /** Undefined when nothing listens. */
  get port(): number | undefined {
    return this.#server?.port;
  }

  async begin(name: string): Promise<StartedRun> {
    const port = await this.#listen(this.#parts.port());
    const { run, token } = this.#runs.begin(name, port);
    return {
      id: run.id,
      env: runEnvironment(port, token, run.id),
      setProcess: (pid) => {
        this.#runs.setProcess(run.id, pid);
        this.#watchProcesses();
      },
      end: () => this.end(run.id),
    };
  }

  /**
   * After a reload of the window: listens again for the runs whose processes are still there. Undefined where another
   * window has them: one that shows the same folder.
   */
  async restore(): Promise<RunRecord[] | undefined> {
    const records = this.#runs.restore();
    for (const { id, pid } of records) if (pid === null || !isAlive(pid)) this.end(id);
    const left = this.#runs.list();
    const [first] = left;
    if (first === undefined) return [];
    if (!(await this.#listenAgain(first.port))) {
      this.#runs.forget();
      return undefined;
    }
    this.#watchProcesses();
    return left;
  }

  end(runId: string, exitCode: number | null = null): void {
    if (!this.#runs.end(runId)) return;
    this.#server?.server.endRun(runId);
    this.#parts.runEnded(runId, exitCode);
    if (this.#runs.size === 0) void this.#stop();
  }

  endOfProcess(endedPid: number): void {
    for (const { id, pid } of this.#runs.list()) if (pid === endedPid) this.end(id);
  }

  /** For the end of the extension host: nothing is cancelled, and the runs are known to the next one. */
  async close(): Promise<void> {
    await this.#stop();
  }

  /** Listens when this returns, until the next turn of the event loop at least. */
  async #listen(wanted: number): Promise<number> {
    while (this.#server === undefined) {
      await this.#stopping;
      await (this.#starting ??= this.#start(wanted).finally(() => (this.#starting = undefined)));
    }
    return this.#server.port;
  }

  /** The extension host of before the reload may not have ended yet. */
  async #listenAgain(port: number): Promise<boolean> {
    const deadlineMs = performance.now() + this.#parts.restoreTimeoutMs;
    for (;;) {
      try {
        await this.#listen(port);
        return true;
      } catch (error) {
        if (performance.now() > deadlineMs) {
          this.#parts.log(`The bridge cannot listen again: ${(error as Error).message}`);
          return false;
        }
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  async #start(wanted: number): Promise<void> {
    const ended: ServerParts['ended'] = (runId, exitCode) => this.end(runId, exitCode);
    const server = new BridgeServer({ ...this.#parts, runs: this.#runs, ended });
    const port = await server.listen(wanted).catch((error: NodeJS.ErrnoException) => {
      throw new Error(
        `Port ${wanted} of 127.0.0.1 cannot be used (${error.code}); see "fairlead.runBridge.port".`,
        {
          cause: error,
        },
      );
    });
    this.#server = { port, server };
    this.#parts.log(`The bridge listens on 127.0.0.1:${port}`);
  }

  #stop(): Promise<void> {
    const stopped = this.#server;
    clearInterval(this.#watch);
    this.#watch = undefined;
    this.#server = undefined;
    if (stopped !== undefined) {
      this.#stopping = stopped.server.close();
      this.#parts.log('The bridge is closed');
    }
    return this.#stopping;
  }

  /** A process that was killed tells nobody. */
  #watchProcesses(): void {
    this.#watch ??= setInterval(() => {
      for (const { id, pid } of this.#runs.list()) if (pid !== null && !isAlive(pid)) this.end(id);
    }, processCheckMs).unref();
  }
}

function runEnvironment(port: number, token: string, session: string): Record<string, string> {
  const values = { ADDR: `ws://127.0.0.1:${port}/`, TOKEN: token, SESSION: session };
  return Object.fromEntries(
    bridgeVariablePrefixes.flatMap((prefix) =>
      Object.entries(values).map(([name, value]) => [`${prefix}_${name}`, value]),
    ),
  );
}
