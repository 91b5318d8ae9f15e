import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type IPty, spawn as spawnPty } from '@lydell/node-pty';

const program = fileURLToPath(new URL('../../../packages/cli/bin/fairlead.mjs', import.meta.url));
const flags = ['--no-warnings'];

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The command as a user runs it, with a home and a state directory of its own. */
export class Fairlead {
  readonly home = mkdtempSync(join(tmpdir(), 'fairlead-cli-'));
  readonly stateDir = join(this.home, 'state');
  readonly env: Record<string, string>;
  readonly #started = new Set<ChildProcess>();
  readonly #terminals = new Set<IPty>();

  constructor() {
    const { PATH = '' } = process.env;
    this.env = { PATH, HOME: this.home, LANG: 'C.UTF-8', TERM: 'xterm-256color', NO_COLOR: '1' };
  }

  start(args: string[], env: Record<string, string> = {}): Started {
    const child = spawn(process.execPath, [...flags, program, ...args, ...this.#where(args)], {
      env: { ...this.env, ...env },
      cwd: this.home,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#started.add(child);
    child.on('exit', () => this.#started.delete(child));
    return new Started(child);
  }

  run(...args: string[]): Promise<Ended> {
    return this.start(args).ended;
  }

  /** What a command prints that must succeed. */
  async ask(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(...args);
    if (code !== 0) throw new Error(`fairlead ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
    return stdout.trimEnd();
  }

  async json<Value>(...args: string[]): Promise<Value> {
    return JSON.parse(await this.ask('--json', ...args)) as Value;
  }

  /** At a terminal of its own, as a person. */
  terminal(args: string[], { cols = 100, rows = 30 } = {}): TerminalUser {
    const pty = spawnPty(process.execPath, [...flags, program, ...args, ...this.#where(args)], {
      env: this.env,
      cwd: this.home,
      cols,
      rows,
    });
    this.#terminals.add(pty);
    pty.onExit(() => this.#terminals.delete(pty));
    return new TerminalUser(pty);
  }

  /** A shell of this machine at a terminal, to see what a command leaves behind there. */
  shell(): TerminalUser {
    const env = { ...this.env, PS1: '# ', FAIRLEAD: [process.execPath, ...flags, program].join(' ') };
    const pty = spawnPty('bash', ['--norc', '--noprofile'], { env, cwd: this.home, cols: 100, rows: 30 });
    this.#terminals.add(pty);
    pty.onExit(() => this.#terminals.delete(pty));
    return new TerminalUser(pty);
  }

  close(): void {
    for (const child of this.#started) child.kill('SIGKILL');
    for (const pty of this.#terminals) pty.kill('SIGKILL');
    rmSync(this.home, { recursive: true, force: true });
  }

  #where(args: string[]): string[] {
    // Behind "--" everything belongs to the command that is run, so there the test says it.
    return args.includes('--') || args.includes('--state-dir') ? [] : ['--state-dir', this.stateDir];
  }
}

/** A command that runs. */
export class Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.on('data', (chunk) => (this.stdout += String(chunk)));
    child.stderr?.on('data', (chunk) => (this.stderr += String(chunk)));
    this.ended = new Promise((resolve) => {
      child.on('close', (code) => resolve({ code, stdout: this.stdout, stderr: this.stderr }));
    });
  }

  /** Until its standard output has this; fails when the command ends before. */
  async says(text: string | RegExp): Promise<void> {
    await until(
      () => (typeof text === 'string' ? this.stdout.includes(text) : text.test(this.stdout)),
      () => this.child.exitCode !== null,
      () => `"${text}" in: ${this.stdout}${this.stderr}`,
    );
  }
}

/** A person at a terminal. */
export class TerminalUser {
  readonly #pty: IPty;
  readonly ended: Promise<number>;
  screen = '';
  #isOver = false;

  constructor(pty: IPty) {
    this.#pty = pty;
    pty.onData((data) => (this.screen += data));
    this.ended = new Promise((resolve) => {
      pty.onExit(({ exitCode }) => {
        this.#isOver = true;
        resolve(exitCode);
      });
    });
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  resize(cols: number, rows: number): void {
    this.#pty.resize(cols, rows);
  }

  kill(signal: string): void {
    this.#pty.kill(signal);
  }

  /** What is on the screen, which is then empty. */
  take(): string {
    const shown = this.screen;
    this.screen = '';
    return shown;
  }

  async sees(text: string | RegExp): Promise<void> {
    const isShown = () => (typeof text === 'string' ? this.screen.includes(text) : text.test(this.screen));
    await until(
      isShown,
      () => this.#isOver && !isShown(),
      () => `"${text}" on the screen: ${JSON.stringify(this.screen)}`,
    );
  }
}

const limitMs = 15_000;

/** Looks again and again; fails after a while, or as soon as it can no longer become true. */
export async function until(
  isDone: () => boolean,
  isLost: () => boolean = () => false,
  what: () => string = () => 'it',
): Promise<void> {
  for (
    const deadline = Date.now() + limitMs;
    !isDone();
    await new Promise((resolve) => setTimeout(resolve, 10))
  ) {
    if (isLost() && !isDone()) throw new Error(`It ended without ${what()}`);
    if (Date.now() > deadline) throw new Error(`Waited in vain for ${what()}`);
  }
}
