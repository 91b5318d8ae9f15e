import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type ErrorObservation, type RunObservation, runArgs } from '@fairlead/protocol';
import { type Executor, openExecutor } from '@fairlead/executor';
import { expect } from 'vitest';
import { makeRoot, shellEnv, testPaths } from './paths.ts';

export type TerminalKind = 'pty' | 'tmux';
export const terminalKinds: TerminalKind[] = ['pty', 'tmux'];
export type Answer = RunObservation | ErrorObservation;

export interface RunOptions {
  shell?: string;
  timeout?: number;
  isInput?: boolean;
  blocking?: boolean;
  hidden?: boolean;
  isStatic?: boolean;
  cwd?: string;
  actionId?: string;
  signal?: AbortSignal;
}

export interface TestSessionOptions {
  terminal: TerminalKind;
  noChangeTimeoutSeconds?: number;
  /** An existing root, whose session is taken over. */
  root?: string;
  env?: Record<string, string>;
}

const untilTimeoutMs = 10_000;
const opened = new Set<TestSession>();

/** A real session in a directory of its own, which `close` removes, after looking whether a process is left. */
export class TestSession {
  readonly root: string;
  readonly executor: Executor;
  #actions = 0;

  private constructor(root: string, executor: Executor) {
    this.root = root;
    this.executor = executor;
  }

  static async open(options: TestSessionOptions): Promise<TestSession> {
    const root = options.root ?? makeRoot();
    const paths = testPaths(root);
    for (const path of [paths.workspace, paths.home]) mkdirSync(path, { recursive: true });
    const executor = await openExecutor({
      workspace: paths.workspace,
      sessionDir: paths.sessionDir,
      terminal: options.terminal,
      noChangeTimeoutSeconds: options.noChangeTimeoutSeconds ?? 60,
      env: { ...shellEnv(paths.home), ...options.env },
    });
    const session = new TestSession(root, executor);
    opened.add(session);
    return session;
  }

  /** For tests that failed before they could close what they had opened. */
  static async closeAll(): Promise<void> {
    for (const session of opened) await session.executor.close();
    for (const { root } of opened) rmSync(root, { recursive: true, force: true });
    opened.clear();
  }

  get workspace(): string {
    return testPaths(this.root).workspace;
  }

  get home(): string {
    return testPaths(this.root).home;
  }

  get sessionDir(): string {
    return testPaths(this.root).sessionDir;
  }

  run(command: string, options: RunOptions = {}): Promise<Answer> {
    const { shell = 'main', timeout = 15, actionId = `action-${(this.#actions += 1)}`, signal } = options;
    const args = runArgs.parse({
      command,
      is_input: options.isInput,
      blocking: options.blocking,
      hidden: options.hidden,
      is_static: options.isStatic,
      cwd: options.cwd,
    });
    const context = signal === undefined ? { actionId } : { actionId, signal };
    return this.executor.execute({ action: 'run', shell, timeout, args }, context) as Promise<Answer>;
  }

  /** Does something, and resolves when the terminal has shown this since. */
  async until(shown: RegExp, deed: () => void, actionId: string | null = null): Promise<void> {
    let text = '';
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = this.executor.shells.onOutput((output) => {
      if (output.actionId === actionId) text += output.data.toString();
      if (shown.test(text)) resolve();
    });
    const vain = () => reject(new Error(`waited in vain for ${shown} in ${JSON.stringify(text)}`));
    const timer = setTimeout(vain, untilTimeoutMs);
    deed();
    await promise.finally(() => {
      clearTimeout(timer);
      stop();
    });
  }

  /** Starts a command, and resolves to its coming answer when it has printed this. */
  async begun(
    printed: RegExp,
    command: string,
    options: RunOptions = {},
  ): Promise<{ answer: Promise<Answer> }> {
    const actionId = `begun-${(this.#actions += 1)}`;
    const { promise: answer, resolve } = Promise.withResolvers<Answer>();
    await this.until(printed, () => resolve(this.run(command, { ...options, actionId })), actionId);
    return { answer };
  }

  /** Runs a command that must succeed, and returns what it printed. */
  async output(command: string, options?: RunOptions): Promise<string> {
    const answer = await this.run(command, options);
    expect(exitCodeOf(answer), answer.content).toBe(0);
    return answer.content;
  }

  async close(): Promise<void> {
    await this.executor.close();
    opened.delete(this);
    // A tmux server needs a moment to end after it was told to.
    for (let round = 0; round < 100 && processesIn(this.root).length > 0; round += 1) await delay(30);
    expect(processesIn(this.root)).toEqual([]);
    rmSync(this.root, { recursive: true, force: true });
  }
}

export function exitCodeOf(answer: Answer): number | undefined {
  return answer.observation === 'run' ? answer.extras.metadata.exit_code : undefined;
}

/** Command lines of the processes that name this directory: shells, their terminals, what was started by path. */
export function processesIn(root: string): string[] {
  try {
    return execFileSync('pgrep', ['-af', root], { encoding: 'utf8' }).trim().split('\n');
  } catch {
    return [];
  }
}
