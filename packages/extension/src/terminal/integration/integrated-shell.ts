import { setTimeout as delay } from 'node:timers/promises';
import { CommandOutput, CommandRun, type CommandShell, endOf } from '@fairlead/executor';
import { commandLine, endHeard, type ShellKind } from './command-line.ts';
import type { EditorExecution, EditorTerminal, EditorTerminalRequest } from './editor-terminal.ts';
import { FollowedExecution } from './followed-execution.ts';
import { integrationTexts } from './integration-texts.ts';

/** How long VS Code may take to tell that a command has begun. */
const beginLimitMs = 15_000;
const interrupted = 130;

export interface IntegratedShellOptions {
  kind: ShellKind;
  cwd: string;
  user: string;
  host: string;
  openTerminal(request: EditorTerminalRequest): EditorTerminal;
  onOutput(bytes: Buffer, run: CommandRun | undefined): void;
}

/** The user's own shell in a terminal of VS Code's, as the shell of an agent. What was not observed is not told. */
export class IntegratedShell implements CommandShell {
  readonly #options: IntegratedShellOptions;
  #terminal: EditorTerminal | undefined;
  #directory: string;
  #run: CommandRun | undefined;
  /** The command's own execution, once it has begun. */
  #followed: FollowedExecution | undefined;
  /** What a person runs there. */
  #foreign: EditorExecution | undefined;
  #n = 0;
  /** Of the terminal nothing is known; programs are rendered as if it were wide. */
  readonly size = { cols: 500, rows: 50 };

  constructor(options: IntegratedShellOptions) {
    this.#options = options;
    this.#directory = options.cwd;
  }

  get directory(): string {
    return (this.#directory = this.#terminal?.directory ?? this.#directory);
  }

  get pid(): number {
    return this.#terminal?.pid ?? -1;
  }

  get user(): string {
    return this.#options.user;
  }

  get host(): string {
    return this.#options.host;
  }

  get running(): CommandRun | undefined {
    return this.#run?.end === undefined ? this.#run : undefined;
  }

  get hasBegun(): boolean {
    return this.#followed !== undefined;
  }

  get busyWithPerson(): boolean {
    return this.#foreign !== undefined;
  }

  /** A terminal is opened by the first command. */
  async open(): Promise<undefined> {
    return undefined;
  }

  async isReady(deadline: number): Promise<boolean> {
    const terminal = (this.#terminal ??= this.#openTerminal());
    const tooLate = delay(Math.max(0, deadline - performance.now()), false, { ref: false });
    return Promise.race([terminal.ready().then(() => true), tooLate]);
  }

  async start(actionId: string, command: string): Promise<CommandRun> {
    const terminal = (this.#terminal ??= this.#openTerminal());
    const run = this.#newRun(actionId, command);
    const line = commandLine(this.#options.kind, command);
    if (!terminal.isIntegrated) {
      terminal.submit(command);
      this.#finish(run, null, integrationTexts.notObserved);
      return run;
    }
    terminal.submit(line);
    const limit = setTimeout(() => {
      if (!this.hasBegun) this.#finish(run, null, integrationTexts.neverBegan);
    }, beginLimitMs);
    limit.unref();
    return run;
  }

  async interruptPrompt(actionId: string, command: string): Promise<CommandRun> {
    const run = this.#newRun(actionId, command);
    this.write('\x03');
    this.#finish(run, null, integrationTexts.interruptedPrompt);
    return run;
  }

  write(data: string | Uint8Array): void {
    this.#terminal?.write(typeof data === 'string' ? data : Buffer.from(data).toString());
  }

  type(data: string | Uint8Array): void {
    this.write(data);
  }

  show(): void {
    (this.#terminal ??= this.#openTerminal()).show();
  }

  // A terminal of VS Code's has the size of its tab, sends what it has, and is told to be gone when it is.
  resize(): void {}
  lend(): void {}
  verify(): void {}
  pause(): void {}
  resume(): void {}

  takeIdleOutput(): Buffer {
    return Buffer.alloc(0);
  }

  async close(): Promise<void> {
    const run = this.running;
    this.#terminal?.close();
    this.#terminal = undefined;
    run?.finish(endOf(this.directory, null, {}));
    this.#run?.output.dispose();
  }

  #openTerminal(): EditorTerminal {
    return this.#options.openTerminal({
      cwd: this.#directory,
      events: {
        onStart: (execution) => this.#onStart(execution),
        onEnd: (execution, exitCode) => this.#onEnd(execution, exitCode),
        onClosed: (exitCode) => void this.#onClosed(exitCode),
      },
    });
  }

  #newRun(actionId: string, command: string): CommandRun {
    const record = { n: (this.#n += 1), actionId, command };
    this.#followed = undefined;
    return (this.#run = new CommandRun(record, new CommandOutput({ ...this.size })));
  }

  /** One command is submitted at a time, so that the next thing to begin is it: object and text may differ. */
  #onStart(execution: EditorExecution): void {
    const run = this.running;
    if (run !== undefined && this.#followed === undefined) {
      const onOutput = (bytes: Buffer) => {
        if (run.end !== undefined) return;
        run.append(bytes);
        this.#options.onOutput(bytes, run);
      };
      this.#followed = new FollowedExecution(execution, onOutput, () => this.write(endHeard));
      void this.#finishWith(run, this.#followed);
      return;
    }
    if (run !== undefined) this.#finish(run, null, integrationTexts.lostSight);
    this.#foreign = execution;
  }

  #onEnd(execution: EditorExecution, exitCode: number | undefined): void {
    if (execution === this.#foreign) this.#foreign = undefined;
    else this.#followed?.onEnd(exitCode);
  }

  async #onClosed(exitCode: number | undefined): Promise<void> {
    const { directory, running: run } = this;
    const followed = this.#followed;
    this.#terminal = undefined;
    this.#foreign = undefined;
    if (run === undefined) return;
    if (followed === undefined) return this.#finish(run, null, integrationTexts.neverBegan);
    await followed.drained();
    const note = integrationTexts.terminalEnded(directory);
    // VS Code says 0 of a shell that was killed, too.
    run.finish(endOf(directory, exitCode || null, { shellEnded: true, saysExit: true, note }));
  }

  async #finishWith(run: CommandRun, followed: FollowedExecution): Promise<void> {
    const { exitCode = null, isWhole } = await followed.ended();
    // A terminal that has closed is told of in another way.
    if (this.#terminal === undefined) return;
    if (exitCode === null) return this.#finish(run, null, integrationTexts.notReported);
    const isCertain = isWhole || exitCode === interrupted;
    run.finish(endOf(this.directory, exitCode, isCertain ? {} : { note: integrationTexts.notWhole }));
  }

  #finish(run: CommandRun, exitCode: null, note: string): void {
    run.finish(endOf(this.directory, exitCode, { note }));
  }
}
