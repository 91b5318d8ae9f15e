import { readlinkSync } from 'node:fs';
import { foregroundGroup } from '../processes/foreground.ts';
import { CommandOutput } from './command-output.ts';
import { type CommandEnd, CommandRun } from './command-run.ts';
import { askLine, runLine } from './init-script.ts';
import { type Marker, MarkerParser } from './markers.ts';
import { OutputBuffer } from './output-buffer.ts';
import { recoverOutput } from './recover-output.ts';
import type { ShellDirectory } from './shell-directory.ts';
import type { Terminal, TerminalEvents, TerminalExit, TerminalFactory, TerminalSize } from './terminal.ts';

/** Long enough for the slowest start-up file, short enough for an agent that waits. */
const startLimitMs = 15_000;
const promptLimitMs = 200;
const askLimitMs = 2_000;
/** A shell that dies this often before its first prompt will not live. */
const startAttempts = 3;

export interface ShellOptions {
  name: string;
  directory: ShellDirectory;
  factory: TerminalFactory;
  size: TerminalSize;
  /** Where the first shell starts; later ones go on where the last one was. */
  cwd: string;
  /** The script that starts the shell, and the environment it gets. */
  launchFile: string;
  env: Record<string, string>;
  onOutput(bytes: Buffer, run: CommandRun | undefined): void;
}

/**
 * A bash in a terminal that is always there: it runs one command at a time, says when and how each ended, and is
 * replaced at once when it dies. Knows nothing of time-outs or of what an agent is told.
 */
export class Shell {
  readonly #options: ShellOptions;
  #terminal: Terminal | undefined;
  #started!: PromiseWithResolvers<void>;
  #n = 0;
  #run: CommandRun | undefined;
  /** A person started something at the prompt. */
  #personRuns = false;
  #outputIsCommands = false;
  #atPrompt = false;
  #onWaiting: (() => void) | undefined;
  #onReady: (() => void) | undefined;
  #idleOutput = new OutputBuffer();
  #exits = false;
  /** The shell that is there now has shown a prompt. */
  #prompted = false;
  #failedStarts = 0;
  #closed = false;
  directory: string;
  pid = -1;
  user = '';
  host = '';
  #prompt = '';

  constructor(options: ShellOptions) {
    this.#options = options;
    this.directory = options.cwd;
    this.#renewStarted();
  }

  get size(): TerminalSize {
    return { ...this.#options.size };
  }

  /** What an agent started and what has not ended yet. */
  get running(): CommandRun | undefined {
    return this.#run?.end === undefined ? this.#run : undefined;
  }

  get busyWithPerson(): boolean {
    return this.#personRuns;
  }

  /**
   * Starts the shell, or takes over the one that an earlier process left, with what it runs or has just run. The
   * shell may still be on its way to its first prompt; what is to be run waits for it.
   */
  async open(): Promise<CommandRun | undefined> {
    const adopted = await this.#adopt();
    if (this.#terminal === undefined) await this.#start();
    return adopted;
  }

  /** Hands a command to the shell. The caller has made sure that nothing runs. */
  async start(actionId: string, command: string): Promise<CommandRun> {
    if (this.#failedStarts >= startAttempts) this.#restart();
    await this.#started.promise;
    const n = (this.#n += 1);
    const run = new CommandRun(n, actionId, command, new CommandOutput(this.size));
    this.#options.directory.writeCommand({ n, actionId, command });
    this.#run = run;
    this.#atPrompt = false;
    this.#terminal?.write(runLine(n));
    return run;
  }

  /** Ctrl-C at the prompt, where there is nothing to interrupt: the shell answers as it would to a person. */
  async interruptPrompt(actionId: string, command: string): Promise<CommandRun> {
    await this.#started.promise;
    await this.#promptShown();
    // Its report carries the number of the last command.
    const run = new CommandRun(this.#n, actionId, command, new CommandOutput(this.size));
    this.#run = run;
    this.#atPrompt = false;
    this.#outputIsCommands = true;
    this.#terminal?.write('\x03');
    return run;
  }

  write(data: string | Uint8Array): void {
    this.#terminal?.write(data);
  }

  /** A person's keys: what the prompt echoes of them is nobody's output. */
  type(data: string | Uint8Array): void {
    this.#atPrompt = false;
    this.#idleOutput.take();
    this.write(data);
  }

  resize(size: TerminalSize): void {
    Object.assign(this.#options.size, size);
    this.#terminal?.resize(size);
    this.#run?.output.resize(size);
  }

  /** Makes sure that a command which says nothing still has a shell to run in. */
  verify(): void {
    this.#terminal?.verify();
  }

  pause(): void {
    this.#terminal?.pause();
  }

  resume(): void {
    this.#terminal?.resume();
  }

  /** What background jobs have printed at the prompt since the last command. */
  takeIdleOutput(): Buffer {
    const { head, tail } = this.#idleOutput.take();
    return tail.length === 0 ? head : tail;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#started.reject(new Error('the shell was closed'));
    await this.#terminal?.close();
    this.#run?.output.dispose();
  }

  async #start(): Promise<void> {
    const { directory, factory, name, size, launchFile } = this.#options;
    directory.forgetGone();
    const saved = directory.readState();
    const env = { ...this.#options.env };
    if (saved !== undefined) env['FAIRLEAD_RESTORE'] = saved.file;
    // A start-up file that ends or blocks the shell must not keep the agent out for ever.
    if (this.#failedStarts > 0) env['FAIRLEAD_NO_RC'] = '1';
    const request = { name, size, env, cwd: '/', file: '/bin/sh', args: [launchFile] };
    const terminal = await factory.open(request, this.#listen());
    this.#terminal = terminal;
    // The shell may have been quicker than the news that its terminal is open.
    if (this.#prompted) this.#started.resolve();
    if (this.#closed) return terminal.close();
    const limit = setTimeout(() => void terminal.close(), startLimitMs);
    // Who wants to run something waits for the prompt; nobody else needs to.
    this.#started.promise.catch(() => {}).finally(() => clearTimeout(limit));
  }

  #restart(): void {
    this.#failedStarts = 0;
    this.#renewStarted();
    this.#start().catch((error: unknown) => this.#giveUp(error));
  }

  #giveUp(reason: unknown): void {
    this.#failedStarts = startAttempts;
    this.#started.reject(reason);
  }

  #renewStarted(): void {
    this.#started = Promise.withResolvers<void>();
    // Nobody may be waiting for a shell that fails to start.
    this.#started.promise.catch(() => {});
  }

  async #adopt(): Promise<CommandRun | undefined> {
    const { directory, factory, name } = this.#options;
    const adopted = await factory.adopt(name, this.#listen());
    if (adopted === undefined) return undefined;
    const shown = await adopted.capture();
    this.#terminal = adopted.terminal;
    const record = directory.readCommand();
    const begun = directory.readBegun();
    const saved = directory.readState();
    const goneWith = directory.readGone();
    const ended = goneWith !== undefined || (saved !== undefined && saved.n >= begun.n);
    this.pid = begun.pid;
    this.directory = directoryOf(begun.pid) ?? this.directory;
    this.#n = Math.max(begun.n, record?.n ?? 0);
    if (goneWith === undefined) await this.#comeBackTo(ended);
    else {
      this.#terminal = undefined;
      await adopted.terminal.close();
    }
    if (record === undefined || record.n !== begun.n) return undefined;
    const run = new CommandRun(record.n, record.actionId, record.command, new CommandOutput(this.size));
    run.append(recoverOutput(shown, directory.secret, record.n, ended ? this.#prompt : undefined));
    this.#run = run;
    if (goneWith !== undefined) run.finish({ ...this.#plainEnd(goneWith), shellEnded: true, saysExit: true });
    else if (ended)
      run.finish({ ...this.#plainEnd(saved?.exitCode ?? null), backgroundPid: saved?.backgroundPid ?? null });
    else this.#outputIsCommands = true;
    return run;
  }

  /** A shell that is found alive: at its prompt, or busy with a command of an agent's or a person's. */
  async #comeBackTo(atPrompt: boolean): Promise<void> {
    this.#prompted = true;
    this.#personRuns = atPrompt && this.pid > 0 && foregroundGroup(this.pid) !== this.pid;
    if (atPrompt && !this.#personRuns) await this.#ask();
    this.#started.resolve();
  }

  async #ask(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onReady = resolve;
      setTimeout(resolve, askLimitMs).unref();
      this.#terminal?.write(askLine);
    });
  }

  /** A prompt of the person's own making may not say that it is shown: then a moment must do. */
  async #promptShown(): Promise<void> {
    if (this.#atPrompt) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, promptLimitMs);
      this.#onWaiting = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#onWaiting = undefined;
  }

  /** Listens to one terminal until its shell is gone, which is told once, by whoever knows first. */
  #listen(): TerminalEvents {
    let isOver = false;
    const onExit = (exit: TerminalExit) => {
      if (!isOver) this.#onExit(exit);
      isOver = true;
    };
    const parser = new MarkerParser(this.#options.directory.secret, {
      onOutput: (bytes) => this.#onOutput(bytes),
      onMarker: (marker) =>
        marker.kind === 'gone' ? onExit({ code: marker.exitCode }) : this.#onMarker(marker),
    });
    return { onData: (chunk) => !isOver && parser.feed(chunk), onExit };
  }

  #onOutput(bytes: Buffer): void {
    const run = this.#outputIsCommands ? this.running : undefined;
    if (run !== undefined) run.append(bytes);
    else if (this.#atPrompt) this.#idleOutput.append(bytes);
    this.#options.onOutput(bytes, run);
  }

  #onMarker(marker: Exclude<Marker, { kind: 'gone' }>): void {
    switch (marker.kind) {
      case 'ready':
        this.pid = marker.pid;
        this.user = marker.user;
        this.host = marker.host;
        this.#prompt = marker.prompt;
        this.#onReady?.();
        return;
      case 'accepted':
        this.#atPrompt = false;
        if (this.running === undefined) {
          this.#personRuns = true;
          this.#idleOutput.take();
        }
        return;
      case 'begun':
        if (marker.n === this.running?.n) this.#outputIsCommands = true;
        return;
      case 'ended':
      case 'prompt':
        this.#onPrompt(marker);
        return;
      case 'waiting':
        this.#atPrompt = this.running === undefined;
        this.#onWaiting?.();
        return;
      case 'exiting':
        this.#exits = true;
        this.directory = marker.directory;
        return;
    }
  }

  #onPrompt(marker: Extract<Marker, { kind: 'ended' | 'prompt' }>): void {
    this.#personRuns = false;
    this.#prompted = true;
    this.directory = marker.directory;
    if (this.#terminal !== undefined) this.#started.resolve();
    const run = this.running;
    // A report that speaks of another command is an old one, printed again by somebody.
    if (run === undefined || marker.n !== run.n) return;
    this.#outputIsCommands = false;
    run.finish({
      ...this.#plainEnd(marker.exitCode),
      backgroundPid: marker.backgroundPid,
      python: marker.python,
      traced: marker.kind === 'ended' && marker.options.includes('x'),
    });
  }

  #plainEnd(exitCode: number | null): CommandEnd {
    return {
      exitCode,
      backgroundPid: null,
      python: null,
      directory: this.directory,
      shellEnded: false,
      traced: false,
      saysExit: false,
    };
  }

  #onExit(exit: TerminalExit): void {
    const old = this.#terminal;
    const run = this.running;
    const saysExit = this.#exits && /\b(exit|logout)\b/.test(run?.command ?? '');
    this.#exits = false;
    this.#outputIsCommands = false;
    this.#personRuns = false;
    this.#atPrompt = false;
    if (!this.#closed) this.#replace(exit, old);
    run?.finish({ ...this.#plainEnd(exit.code), shellEnded: true, saysExit });
  }

  #replace(exit: TerminalExit, old: Terminal | undefined): void {
    this.#terminal = undefined;
    if (this.#prompted) this.#renewStarted();
    this.#failedStarts = this.#prompted ? 0 : this.#failedStarts + 1;
    this.#prompted = false;
    if (this.#failedStarts >= startAttempts) {
      const code = exit.code ?? 'unknown';
      this.#giveUp(
        new Error(`bash ended ${startAttempts} times before its first prompt (exit code ${code})`),
      );
      return;
    }
    Promise.resolve(old?.close())
      .then(() => this.#start())
      .catch((error: unknown) => this.#giveUp(error));
  }
}

function directoryOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}
