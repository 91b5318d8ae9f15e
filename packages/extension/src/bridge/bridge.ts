import { setTimeout as delay } from 'node:timers/promises';
import { bridgeVariablePrefixes } from '@fairlead/protocol';
import type { Kept } from '../kept.ts';
import { isRunning } from './run-process.ts';
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

/** The runs that were going on when this extension host began. */
export interface RunsOfBefore {
  /** They have their bridge back. */
  restored: RunRecord[];
  /** Another window that shows the same folder has them. */
  elsewhere: RunRecord[];
}

const processCheckMs = 2_000;
const retryMs = 250;
/** How long a program that is to be started waits for those of before. */
const beginTimeoutMs = 3_000;

/** The bridge as a whole: its server runs as long as there is a run. */
export class Bridge {
  readonly #parts: BridgeParts;
  readonly #runs: Runs;
  #server: { port: number; server: BridgeServer } | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> = Promise.resolve();
  #watch: NodeJS.Timeout | undefined;
  #restoring: Promise<RunsOfBefore> | undefined;
  #restoreUntilMs = 0;
  #hasLooked = false;
  #isClosed = false;

  constructor(parts: BridgeParts) {
    this.#parts = parts;
    this.#runs = new Runs(parts.store);
  }

  /** Undefined when nothing listens. */
  get port(): number | undefined {
    return this.#server?.port;
  }

  async begin(name: string): Promise<StartedRun> {
    await this.#afterRestore();
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

  /** After a reload of the window: listens again for the runs whose processes are still there. */
  restore(): Promise<RunsOfBefore> {
    if (this.#restoring !== undefined) return this.#restoring;
    this.#hasLooked = true;
    this.#restoreUntilMs = performance.now() + this.#parts.restoreTimeoutMs;
    return (this.#restoring = this.#restore().finally(() => (this.#restoring = undefined)));
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
    this.#isClosed = true;
    await this.#stop();
  }

  async #restore(): Promise<RunsOfBefore> {
    const stored = this.#runs.stored();
    const going = stored.filter(isRunning);
    const over = stored.filter((record) => !going.includes(record));
    this.#runs.takeUp(over);
    for (const { id } of over) this.end(id);
    const port = await this.#listenAgain(new Set(going.map((record) => record.port)));
    // Another window may have ended some of them, or begun others, while this one waited for the port.
    const left = this.#runs.stored();
    const restored = left.filter((record) => record.port === port && isRunning(record));
    this.#runs.takeUp(restored);
    if (restored.length > 0) this.#watchProcesses();
    else if (this.#runs.size === 0) await this.#stop();
    return { restored, elsewhere: left.filter((record) => !restored.includes(record)) };
  }

  /** Runs of before need the port that they know, which no other run may keep them from. */
  async #afterRestore(): Promise<void> {
    if (!this.#hasLooked) void this.restore();
    this.#restoreUntilMs = Math.min(this.#restoreUntilMs, performance.now() + beginTimeoutMs);
    await this.#restoring;
  }

  /** Listens when this returns, until the next turn of the event loop at least. */
  async #listen(wanted: number): Promise<number> {
    while (this.#server === undefined) {
      await this.#stopping;
      await (this.#starting ??= this.#start(wanted).finally(() => (this.#starting = undefined)));
    }
    return this.#server.port;
  }

  /** The port of them that could be had. The extension host of before the reload may still hold it, and another window does. */
  async #listenAgain(ports: ReadonlySet<number>): Promise<number | undefined> {
    await this.#starting?.catch(() => undefined);
    if (this.#server !== undefined) return this.#server.port;
    while (ports.size > 0) {
      for (const port of ports) {
        const isListening = await this.#start(port).then(
          () => true,
          () => false,
        );
        if (isListening) return port;
      }
      if (this.#isClosed || performance.now() > this.#restoreUntilMs) break;
      await delay(retryMs);
    }
    if (ports.size > 0) this.#parts.log(`The bridge cannot listen again on ${[...ports].join(', ')}`);
    return undefined;
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
    if (this.#isClosed) {
      await server.close();
      throw new Error('This window is closing.');
    }
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
      for (const run of this.#runs.list()) if (run.pid !== null && !isRunning(run)) this.end(run.id);
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
