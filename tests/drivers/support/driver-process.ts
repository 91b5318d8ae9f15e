import { prepareSandboxBundle } from '@fairlead/sandbox/bundle';
import type { SandboxBundle } from '../../../packages/gateway/src/drivers/inside.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Diagnosis,
  type Driver,
  DriverError,
  type SandboxSpec,
  type SandboxStatus,
} from '../../../packages/gateway/src/drivers/driver.ts';

export interface Call {
  number: number;
  method: Exclude<keyof Driver, 'name'>;
  args: unknown[];
}

export type Told =
  | { kind: 'ready' }
  | { kind: 'progress'; number: number; text: string }
  | { kind: 'done'; number: number; value: unknown }
  | { kind: 'failed'; number: number; name: string; message: string };

export interface DriverProcessOptions {
  stateDir: string;
  isolation: 'bubblewrap' | 'none';
  /** Who the process runs as. */
  uid?: number;
  /** A command that starts it: a machine on which something is different. */
  within?: string[];
}

interface Waiting {
  onProgress(text: string): void;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** The local driver in a process of its own, as in a gateway: it can be another user's, and it can be killed. */
export class DriverProcess implements Driver {
  readonly name = 'local';
  readonly child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #number = 0;

  private constructor(
    { stateDir, isolation, uid, within = [] }: DriverProcessOptions,
    bundle: SandboxBundle,
  ) {
    const host = fileURLToPath(new URL('driver-host.ts', import.meta.url));
    const [command, ...args] = [...within, process.execPath, host, stateDir, isolation];
    this.child = spawn(command, [...args, JSON.stringify(bundle)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      cwd: '/',
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    this.child.on('message', (told: Told) => this.#hear(told));
    this.child.on('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the process of the driver is gone'));
      this.#waiting.clear();
    });
  }

  static async open(options: DriverProcessOptions): Promise<DriverProcess> {
    const { uid, stateDir } = options;
    const bundle = await (uid === undefined ? prepareSandboxBundle() : readableBundle(stateDir));
    const driver = new DriverProcess(options, bundle);
    return new Promise((resolve, reject) => {
      driver.child.once('message', () => resolve(driver));
      driver.child.once('exit', (code) => reject(new Error(`the process of the driver ended with ${code}`)));
    });
  }

  diagnose(): Promise<Diagnosis> {
    return this.#call('diagnose', []) as Promise<Diagnosis>;
  }

  async start(spec: SandboxSpec, onProgress: (text: string) => void): Promise<void> {
    await this.#call('start', [spec], onProgress);
  }

  status(id: string): Promise<SandboxStatus> {
    return this.#call('status', [id]) as Promise<SandboxStatus>;
  }

  async pause(id: string): Promise<void> {
    await this.#call('pause', [id]);
  }

  async resume(id: string): Promise<void> {
    await this.#call('resume', [id]);
  }

  async stop(id: string): Promise<void> {
    await this.#call('stop', [id]);
  }

  list(): Promise<string[]> {
    return this.#call('list', []) as Promise<string[]>;
  }

  async close(): Promise<void> {
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    await this.#call('close', []);
    this.child.disconnect();
    await gone;
  }

  /** As when the gateway is killed. */
  async kill(): Promise<void> {
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await gone;
  }

  #call(
    method: Call['method'],
    args: unknown[],
    onProgress: (text: string) => void = () => {},
  ): Promise<unknown> {
    const number = (this.#number += 1);
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { onProgress, resolve, reject });
      this.child.send({ number, method, args } satisfies Call);
    });
  }

  #hear(told: Told): void {
    if (told.kind === 'ready') return;
    const waiting = this.#waiting.get(told.number);
    if (told.kind === 'progress') waiting?.onProgress(told.text);
    if (told.kind === 'done') waiting?.resolve(told.value);
    if (told.kind === 'failed')
      waiting?.reject(told.name === 'DriverError' ? new DriverError(told.message) : new Error(told.message));
    if (told.kind !== 'progress') this.#waiting.delete(told.number);
  }
}

/** The bundle where any user can read it: a checkout may be closed to others. */
async function readableBundle(stateDir: string): Promise<SandboxBundle> {
  const { mounts, command } = await prepareSandboxBundle();
  const copies = mounts.map(({ source, target }, index) => {
    const copy = join(stateDir, `bundle-${index}`);
    if (!existsSync(copy)) cpSync(source, copy, { recursive: true });
    return { source: copy, target };
  });
  return { mounts: copies, command };
}
