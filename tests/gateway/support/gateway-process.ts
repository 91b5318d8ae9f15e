import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { GatewayOptions } from '@fairlead/gateway';
import { Caller } from './caller.ts';

export type HostOptions = Omit<GatewayOptions, 'log'>;

export type Told =
  | { kind: 'log'; line: string }
  | { kind: 'started'; port: number; keyFile: string }
  | { kind: 'refused'; message: string }
  | { kind: 'closed'; sessionsLeft: number };

/** A gateway that can be killed. */
export class GatewayProcess {
  readonly logged: string[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #owner: Caller | undefined;
  #sessionsLeft: number | undefined;

  private constructor(options: HostOptions) {
    const host = fileURLToPath(new URL('gateway-host.ts', import.meta.url));
    this.#child = spawn(process.execPath, ['--no-warnings', host, JSON.stringify(options)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#ended = new Promise((resolve) => this.#child.on('exit', () => resolve()));
  }

  static async start(options: HostOptions): Promise<GatewayProcess> {
    const gateway = new GatewayProcess(options);
    await new Promise<void>((resolve, reject) => {
      gateway.#child.on('message', (told: Told) => {
        if (told.kind === 'log') gateway.logged.push(told.line);
        if (told.kind === 'closed') gateway.#sessionsLeft = told.sessionsLeft;
        if (told.kind === 'refused') reject(new Error(told.message));
        if (told.kind !== 'started') return;
        gateway.#owner = new Caller(told.port, readFileSync(told.keyFile, 'utf8').trim(), options.basePath);
        resolve();
      });
      gateway.#child.on('exit', (code) => reject(new Error(`the gateway ended with ${code}`)));
    });
    return gateway;
  }

  get owner(): Caller {
    return this.#owner!;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get isEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** As when the machine's memory runs out. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** In good order; answers how many sessions are left running. */
  async close(): Promise<number> {
    this.#child.kill('SIGTERM');
    await this.#ended;
    return this.#sessionsLeft ?? Number.NaN;
  }
}
