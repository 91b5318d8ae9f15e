import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { nodeFlags } from '../../../packages/cli/bin/node-flags.mjs';
import { freePort } from '../../support/free-port.ts';

const command = fileURLToPath(new URL('../../../packages/cli/bin/fairlead.mjs', import.meta.url));

/** `fairlead serve`, started again on its port and its state directory whenever it is killed. */
export class KeptGateway {
  readonly stateDir: string;
  /** What it did that nobody made it do. */
  readonly complaints: string[] = [];
  readonly #args: string[];
  readonly #port: number;
  readonly #log: string[] = [];
  #child!: ChildProcess;
  #ready!: Promise<void>;
  #isStopping = false;
  isListening = false;

  private constructor(stateDir: string, args: string[], port: number) {
    this.stateDir = stateDir;
    this.#args = args;
    this.#port = port;
    this.#start();
  }

  static async start(stateDir: string, args: string[]): Promise<KeptGateway> {
    return new KeptGateway(stateDir, args, await freePort());
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get key(): string {
    return readFileSync(join(this.stateDir, 'key'), 'utf8').trim();
  }

  /** The last lines of its log, also those of processes that were killed. */
  get log(): string {
    return this.#log.slice(-40).join('\n');
  }

  /** Of the process that runs now; rejects when that ends before. */
  ready(): Promise<void> {
    return this.#ready;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }

  #start(): void {
    const serve = ['serve', '--json', '--port', String(this.#port), '--state-dir', this.stateDir];
    const child = spawn(process.execPath, [...nodeFlags, command, ...serve, ...this.#args], {
      // By the channel it ends with this process, however that ends.
      env: { PATH: process.env['PATH'], HOME: this.stateDir, FAIRLEAD_LAUNCHER: '1' },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child = child;
    this.isListening = false;
    this.#ready = new Promise((resolve, reject) => {
      createInterface({ input: child.stdout! }).on('line', (line) => {
        this.#log.push(line);
        if (!line.includes('"url"')) return;
        this.isListening = true;
        resolve();
      });
      child.once('exit', () => reject(new Error(`The gateway ended before it listened:\n${this.log}`)));
    });
    this.#ready.catch(() => undefined);
    createInterface({ input: child.stderr! }).on('line', (line) => {
      // Of these there is one for each attempt of a client.
      if (!line.endsWith('/execute_action 503')) this.#log.push(line);
    });
    child.once('exit', (code, signal) => this.#onExit(code, signal));
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null): void {
    this.isListening = false;
    if (this.#isStopping) return;
    if (signal !== 'SIGKILL') {
      this.complaints.push(`The gateway ended by itself with ${signal ?? code}:\n${this.log}`);
    }
    this.#start();
  }
}
