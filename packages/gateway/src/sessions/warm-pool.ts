import type { SessionLimits } from '@fairlead/protocol';
import type { Driver } from '../drivers/driver.ts';
import { SandboxRuntime } from '../runtime/sandbox-runtime.ts';
import type { AppPorts } from './app-ports.ts';
import type { Directories } from './directories.ts';
import { newSessionId } from './ids.ts';
import type { Slots } from './turns.ts';

export interface WarmPoolOptions {
  size: number;
  driver: Driver;
  image: string | null;
  limits: SessionLimits;
  directories: Directories;
  appPorts: AppPorts;
  starts: Slots;
  log(line: string): void;
}

/** After a failed start: there may be no memory, or no engine, for a while. */
const retryMs = 30_000;
/** Replacements take the processor from the sessions that were just created, so they wait for a pause, but not for ever. */
const pauseMs = 500;
const longestWaitMs = 3_000;

/** Sandboxes that are started before anybody asks for them. Nobody owns them, so a later gateway ends what is left. */
export class WarmPool {
  readonly #options: WarmPoolOptions;
  readonly #ready = new Map<string, SandboxRuntime>();
  readonly #starting = new Set<Promise<void>>();
  readonly #discarding = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #retry: NodeJS.Timeout | undefined;
  #refill: { timer: NodeJS.Timeout; latestAtMs: number } | undefined;

  constructor(options: WarmPoolOptions) {
    this.#options = options;
  }

  get ids(): string[] {
    return [...this.#ready.keys()];
  }

  /** Starts what is missing; nobody waits for it. */
  fill(): void {
    const { size } = this.#options;
    while (
      !this.#closing.signal.aborted &&
      this.#retry === undefined &&
      this.#ready.size + this.#starting.size < size
    ) {
      const adding = this.#add().finally(() => this.#starting.delete(adding));
      this.#starting.add(adding);
    }
  }

  /** A sandbox for a session without wishes of its own; undefined when none is ready. */
  async take(driver: Driver, image: string | null): Promise<string | undefined> {
    if (driver !== this.#options.driver || image !== this.#options.image) return undefined;
    for (const [id, runtime] of this.#ready) {
      this.#ready.delete(id);
      const isAlive = await runtime.isAlive(1_000);
      await runtime.close();
      if (isAlive) {
        this.#fillInPause();
        return id;
      }
      const discarding = this.discard(id).finally(() => this.#discarding.delete(discarding));
      this.#discarding.add(discarding);
    }
    this.#fillInPause();
    return undefined;
  }

  /** Ends one, also one that was taken and is not wanted after all. */
  async discard(id: string): Promise<void> {
    await this.#options.driver.stop(id).catch(() => undefined);
    await this.#options.directories.remove(id).catch(() => undefined);
    this.#options.appPorts.release(id);
  }

  /** Keeps their leases, and replaces those that have ended. */
  async refresh(): Promise<void> {
    for (const [id, runtime] of this.#ready) {
      if ((await runtime.isAlive(5_000)) || !this.#ready.delete(id)) continue;
      await runtime.close();
      await this.discard(id);
    }
    this.fill();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#retry);
    clearTimeout(this.#refill?.timer);
    await Promise.all(this.#starting);
    await Promise.all(
      [...this.#ready].map(async ([id, runtime]) => {
        await runtime.close();
        await this.discard(id);
      }),
    );
    this.#ready.clear();
    await Promise.all(this.#discarding);
  }

  #fillInPause(): void {
    const nowMs = performance.now();
    const latestAtMs = this.#refill?.latestAtMs ?? nowMs + longestWaitMs;
    clearTimeout(this.#refill?.timer);
    const timer = setTimeout(
      () => {
        this.#refill = undefined;
        this.fill();
      },
      Math.min(pauseMs, latestAtMs - nowMs),
    ).unref();
    this.#refill = { timer, latestAtMs };
  }

  async #add(): Promise<void> {
    const { driver, image, directories, appPorts, starts, log } = this.#options;
    const id = newSessionId();
    try {
      const places = directories.of(id);
      await directories.make(id, places);
      const env = appPorts.environmentOf(id, await appPorts.reserve(id));
      const spec = { id, directories: places, image, env, limits: this.#options.limits };
      await driver.obtain?.(spec, () => undefined, this.#closing.signal);
      await starts.use(() => driver.start(spec, () => undefined));
      if (this.#closing.signal.aborted) await this.discard(id);
      else this.#ready.set(id, new SandboxRuntime(directories.socketOf(id)));
    } catch (error) {
      await this.discard(id);
      if (this.#closing.signal.aborted) return;
      log(`no sandbox could be started in advance: ${(error as Error).message}`);
      this.#retry ??= setTimeout(() => {
        this.#retry = undefined;
        this.fill();
      }, retryMs).unref();
    }
  }
}
