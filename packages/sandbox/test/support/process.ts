import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type Answer, call, run } from './test-server.ts';

export { freePort } from '../../../../tests/support/free-port.ts';

const bin = fileURLToPath(new URL('../../bin/fairlead-sandbox.mjs', import.meta.url));

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The real command in a process of its own. */
export class SandboxProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  #stdout = '';
  #stderr = '';
  #address: number | string = 0;
  #onText: () => void = () => undefined;

  constructor(args: string[], env: Record<string, string> = {}, node = process.execPath) {
    this.child = spawn(node, [bin, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, HOME: '/nonexistent', SESSION_API_KEY: '', ...env },
    });
    this.child.stdout!.on('data', (text) => {
      this.#stdout += String(text);
      this.#onText();
    });
    this.child.stderr!.on('data', (text) => (this.#stderr += String(text)));
    this.ended = new Promise((resolve) => {
      this.child.on('close', (code) => {
        resolve({ code, stdout: this.#stdout, stderr: this.#stderr });
        this.#onText();
      });
    });
    onTestFinished(async () => {
      if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGTERM');
      await this.ended;
    });
  }

  /** The port, or the path of the Unix socket. */
  get address(): number | string {
    return this.#address;
  }

  async ready(): Promise<this> {
    for (;;) {
      const [, port, path] =
        /listening on (?:http:\/\/[^ ]+:(\d+)|unix:\/\/(.+)) \(/.exec(this.#stdout) ?? [];
      this.#address = path ?? Number(port ?? 0);
      if (this.#address !== 0) return this;
      if (this.child.exitCode !== null) throw new Error(`the server ended: ${this.#stderr}`);
      await new Promise<void>((resolve) => (this.#onText = resolve));
    }
  }

  act(
    command: string,
    headers: Record<string, string> = {},
    args: Record<string, unknown> = {},
  ): Promise<Answer> {
    const body = JSON.stringify({ action: { ...run(command, args), timeout: 60 } });
    return call(this.address, 'POST', '/execute_action', body, headers);
  }

  stop(signal: NodeJS.Signals): Promise<Ended> {
    this.child.kill(signal);
    return this.ended;
  }
}

/** Command lines of the processes that have a text in their command line or environment. */
export function processesWith(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      const commandLine = readQuietly(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
      const isMatch = commandLine.includes(text) || readQuietly(`/proc/${pid}/environ`).includes(text);
      return isMatch ? [commandLine] : [];
    });
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
