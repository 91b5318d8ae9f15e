import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { runArgs } from '@fairlead/protocol';
import { testPaths } from './paths.ts';
import type { Answer, TerminalKind } from './test-shell.ts';

interface Message {
  ready?: number;
  sent?: string;
  output?: string;
  actionId?: string;
  observation?: Answer;
}

/** The other end of `host.ts`. */
export class HostProcess {
  readonly #process: ChildProcess;
  readonly #messages: Message[] = [];
  readonly #waiting = new Set<() => void>();

  private constructor(process: ChildProcess) {
    this.#process = process;
    createInterface({ input: process.stdout! }).on('line', (line) => {
      this.#messages.push(JSON.parse(line) as Message);
      for (const look of this.#waiting) look();
    });
  }

  static async start(root: string, terminal: TerminalKind): Promise<HostProcess> {
    const { workspace, home } = testPaths(root);
    for (const path of [workspace, home]) mkdirSync(path, { recursive: true });
    const file = fileURLToPath(new URL('host.ts', import.meta.url));
    const host = new HostProcess(
      spawn(process.execPath, [file, root, terminal], { stdio: ['pipe', 'pipe', 'inherit'] }),
    );
    await host.message((message) => message.ready !== undefined);
    return host;
  }

  get pid(): number {
    return this.#process.pid as number;
  }

  send(actionId: string, command: string, shell = 'main'): void {
    const action = { action: 'run', shell, timeout: 30, args: runArgs.parse({ command }) };
    this.#process.stdin!.write(`${JSON.stringify({ actionId, action })}\n`);
  }

  async run(actionId: string, command: string, shell?: string): Promise<Answer> {
    this.send(actionId, command, shell);
    const answer = await this.message((message) => message.actionId === actionId);
    return answer.observation as Answer;
  }

  /** The first message of this kind, now or later. */
  message(matches: (message: Message) => boolean): Promise<Message> {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.#messages.find(matches);
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  async kill(): Promise<void> {
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exited;
  }

  async end(): Promise<void> {
    const exited = once(this.#process, 'exit');
    this.#process.stdin!.end();
    await exited;
  }
}
