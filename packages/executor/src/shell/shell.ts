import { readlinkSync } from 'node:fs';
import { foregroundGroup } from '../processes/foreground.ts';
import { CommandOutput } from './command-output.ts';
import { type CommandEnd, CommandRun } from './command-run.ts';
import { DoubtedPrompt } from './doubted-prompt.ts';
import { HeldEvents } from './held-events.ts';
import { askLine, runLine } from './init-script.ts';
import { type Marker, MarkerParser } from './markers.ts';
import { OutputBuffer } from './output-buffer.ts';
import { recoverOutput } from './recover-output.ts';
import type { ShellDirectory } from './shell-directory.ts';
import type { Terminal, TerminalEvents, TerminalExit, TerminalFactory, TerminalSize } from './terminal.ts';

/** Long enough for the slowest start-up file, short enough for an agent that waits. */
const startLimitMs = 15_000;
const promptLimitMs = 1_000;
const askLimitMs = 2_000;
/** How long a shell may take to begin what was typed, each time it is typed. */
const takeUpLimitsMs = [300, 700, 3_000];
/** A shell that dies this often before it is of any use will not live. */
const startAttempts = 3;
/** A start-up file that takes the input away lets the shell show its prompt, and ends it there. */
const briefLifeMs = 1_000;

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
  /** A shell may end before its terminal is known to be open. */
  #opening: Promise<Terminal> | undefined;
  #started!: PromiseWithResolvers<void>;
  #n = 0;
  #run: CommandRun | undefined;
  /** The command that the shell before this one did not begin any more. */
  #handedOn: CommandRun | undefined;
  /** The prompt is there, whole, and nothing was given to the shell since. */
  #promptIsShown = false;
  /** Nobody else types into a pty; tmux may have people that we do not see. */
  #personTyped = false;
  #outputIsCommands = false;
  #atPrompt = false;
  #onWaiting: (() => void) | undefined;
  #takeUpCheck: NodeJS.Timeout | undefined;
  #onReady: (() => void) | undefined;
  #idleOutput = new OutputBuffer();
  readonly #doubt = new DoubtedPrompt();
  #exits = false;
  /** The shell that is there now has shown a prompt, and when. */
  #prompted = false;
  #promptedAt = 0;
  /** It has begun a command. */
  #hasServed = false;
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

  /** A person runs something at the prompt: the terminal is not the shell's own. */
  get busyWithPerson(): boolean {
    if (!this.#promptIsShown || (!this.#personTyped && this.#options.factory.kind === 'pty')) return false;
    // A shell that has just died has no terminal any more: its successor will take the command.
    const group = foregroundGroup(this.pid);
    return group !== undefined && group !== this.pid;
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

  /** True when the shell can take a command; false when the deadline (of `performance.now()`) came first. */
  async isReady(deadline: number): Promise<boolean> {
    if (this.#prompted && this.#terminal !== undefined) return true;
    if (this.#failedStarts >= startAttempts) this.#restart();
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), Math.max(0, deadline - performance.now()));
    });
    const started = this.#hasStarted().then(() => true);
    return Promise.race([started, tooLate]).finally(() => clearTimeout(timer));
  }

  /** Hands a command to the shell. The caller has made sure that it is ready, and that nothing runs. */
  async start(actionId: string, command: string): Promise<CommandRun> {
    await this.#hasStarted();
    const n = (this.#n += 1);
    const run = new CommandRun(n, actionId, command, new CommandOutput(this.size));
    this.#options.directory.writeCommand({ n, actionId, command });
    this.#run = run;
    this.#atPrompt = false;
    this.#promptIsShown = false;
    this.#handOver(run);
    return run;
  }

  /** Ctrl-C at the prompt, where there is nothing to interrupt: the shell answers as it would to a person. */
  async interruptPrompt(actionId: string, command: string): Promise<CommandRun> {
    await this.#hasStarted();
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
    this.#personTyped = true;
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
    const state = directory.findState();
    const env = { ...this.#options.env };
    if (state !== undefined) env['FAIRLEAD_RESTORE'] = state;
    // A start-up file that ends or blocks the shell must not keep the agent out for ever.
    if (this.#failedStarts > 0) env['FAIRLEAD_NO_RC'] = '1';
    const request = { name, size, env, cwd: '/', file: '/bin/sh', args: [launchFile] };
    const opening = factory.open(request, this.#listen());
    this.#opening = opening;
    const terminal = await opening;
    // Its shell has ended already, and somebody else sees to it.
    if (this.#opening !== opening) return;
    this.#terminal = terminal;
    // The shell may have been quicker than the news that its terminal is open.
    if (this.#prompted) this.#started.resolve();
    if (this.#closed) return terminal.close();
    const limit = setTimeout(() => void terminal.close(), startLimitMs);
    // Who wants to run something waits for the prompt; nobody else needs to.
    this.#started.promise.catch(() => {}).finally(() => clearTimeout(limit));
  }

  /** A shell may end in the moment between its first prompt and the news of it. */
  async #hasStarted(): Promise<void> {
    do await this.#started.promise;
    while (this.#terminal === undefined);
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
    const events = new HeldEvents(this.#listen());
    const adopted = await factory.adopt(name, events);
    if (adopted === undefined) return undefined;
    const shown = await adopted.capture();
    this.#terminal = adopted.terminal;
    const record = directory.readCommand();
    const begun = directory.readBegun();
    const last = directory.readEnded();
    const goneWith = directory.readGone();
    const ended = goneWith !== undefined || (last !== undefined && last.n >= begun.n);
    this.pid = begun.pid;
    this.directory = directoryOf(begun.pid) ?? this.directory;
    this.#n = Math.max(begun.n, record?.n ?? 0);
    if (goneWith !== undefined) {
      this.#terminal = undefined;
      await adopted.terminal.close();
    } else {
      if (ended) events.release();
      await this.#comeBackTo(ended);
    }
    if (record === undefined || record.n !== begun.n) {
      if (goneWith === undefined) events.release();
      return undefined;
    }
    const run = new CommandRun(record.n, record.actionId, record.command, new CommandOutput(this.size));
    run.append(recoverOutput(shown, directory.secret, record.n, ended ? this.#prompt : undefined));
    this.#run = run;
    if (goneWith !== undefined) run.finish({ ...this.#plainEnd(goneWith), shellEnded: true, saysExit: true });
    else if (ended)
      run.finish({ ...this.#plainEnd(last?.exitCode ?? null), backgroundPid: last?.backgroundPid ?? null });
    else {
      this.#outputIsCommands = true;
      events.release();
    }
    return run;
  }

  /** A shell that is found alive: at its prompt, or busy with a command of an agent's or a person's. */
  async #comeBackTo(atPrompt: boolean): Promise<void> {
    this.#prompted = true;
    this.#promptIsShown = atPrompt && this.pid > 0;
    if (atPrompt && !this.busyWithPerson) await this.#ask();
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

  #handOver(run: CommandRun): void {
    this.#terminal?.write(runLine);
    this.#expectTakeUp(run, 0);
  }

  /**
   * A typed line can get lost: Ctrl-C empties the terminal's input, a person may have left a quote open. It is typed
   * again, which the shell recognises; and a shell that does not even take that is replaced.
   */
  #expectTakeUp(run: CommandRun, attempt: number): void {
    clearTimeout(this.#takeUpCheck);
    this.#takeUpCheck = setTimeout(() => {
      const isTaken = this.#outputIsCommands || this.#options.directory.readBegun().n >= run.n;
      if (run !== this.running || isTaken || this.#terminal === undefined) return;
      // Something else has the terminal: a person, or what the person's prompt runs.
      if (foregroundGroup(this.pid) !== this.pid) return this.#expectTakeUp(run, attempt);
      if (run.isCancelled) return run.finish({ ...this.#plainEnd(null), begun: false });
      if (attempt === takeUpLimitsMs.length - 1) return killShell(this.pid);
      this.#terminal.write(`\x03${runLine}`);
      this.#expectTakeUp(run, attempt + 1);
    }, takeUpLimitsMs[attempt]);
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
    if (run !== undefined) {
      if (!this.#doubt.hold(bytes)) run.append(bytes);
    } else if (this.#atPrompt) this.#idleOutput.append(bytes);
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
      case 'begun':
        this.#hasServed = true;
        clearTimeout(this.#takeUpCheck);
        if (marker.n === this.running?.n) this.#outputIsCommands = true;
        return;
      case 'ended':
        this.#endDoubt();
        this.#onPrompt(marker);
        return;
      case 'prompt':
        if (this.running !== undefined && marker.n === this.running.n)
          this.#doubt.begin(() => this.#decideDoubt(marker));
        else this.#onPrompt(marker);
        return;
      case 'waiting':
        this.#atPrompt = this.running === undefined;
        this.#promptIsShown = this.#atPrompt;
        this.#onWaiting?.();
        return;
      case 'exiting':
        this.#exits = true;
        this.directory = marker.directory;
        return;
    }
  }

  /** What is in front of the shell now tells whether it is at its prompt. */
  #decideDoubt(marker: Extract<Marker, { kind: 'prompt' }>): void {
    if (foregroundGroup(this.pid) !== this.pid) return this.#endDoubt();
    this.#doubt.end();
    this.#onPrompt(marker);
  }

  /** The prompt was printed by the command: so was what followed. */
  #endDoubt(): void {
    for (const bytes of this.#doubt.end()) this.running?.append(bytes);
  }

  #onPrompt(marker: Extract<Marker, { kind: 'ended' | 'prompt' }>): void {
    this.#promptIsShown = false;
    // What is shown from here to the end of the prompt is the shell's own.
    this.#atPrompt = false;
    if (!this.#prompted) this.#promptedAt = performance.now();
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
      traced: marker.kind === 'ended' && /[vx]/.test(marker.options),
    });
  }

  #plainEnd(exitCode: number | null): CommandEnd {
    return {
      exitCode,
      backgroundPid: null,
      python: null,
      directory: this.directory,
      begun: true,
      shellEnded: false,
      traced: false,
      saysExit: false,
    };
  }

  #onExit(exit: TerminalExit): void {
    const old = this.#terminal;
    const run = this.running;
    const saysExit = this.#exits && /\b(exit|logout)\b/.test(run?.command ?? '');
    // Its report and its file must both be missing: a full disk may have kept it from writing.
    const isPending =
      run !== undefined && !this.#outputIsCommands && this.#options.directory.readBegun().n < run.n;
    this.#endDoubt();
    this.#exits = false;
    this.#outputIsCommands = false;
    this.#promptIsShown = false;
    this.#atPrompt = false;
    if (!this.#closed) this.#replace(exit, old);
    const canWait = !this.#closed && this.#handedOn !== run && !run?.isCancelled;
    if (isPending && canWait) return this.#handToSuccessor(run);
    const code = isPending ? null : exit.code;
    run?.finish({ ...this.#plainEnd(code), begun: !isPending, shellEnded: true, saysExit });
  }

  /** The shell was already on its way out when it was told to run this, and has not begun it. */
  #handToSuccessor(run: CommandRun): void {
    this.#handedOn = run;
    this.#started.promise.then(
      () => this.#handOver(run),
      () => run.finish({ ...this.#plainEnd(null), begun: false, shellEnded: true }),
    );
  }

  #replace(exit: TerminalExit, old: Terminal | undefined): void {
    this.#terminal = undefined;
    if (this.#prompted) this.#renewStarted();
    const wasOfUse = this.#hasServed || performance.now() - this.#promptedAt > briefLifeMs;
    this.#failedStarts = this.#prompted && wasOfUse ? 0 : this.#failedStarts + 1;
    this.#prompted = false;
    this.#hasServed = false;
    if (this.#failedStarts >= startAttempts) {
      const code = exit.code ?? 'unknown';
      this.#giveUp(
        new Error(`bash ended ${startAttempts} times before its first command (exit code ${code})`),
      );
      return;
    }
    const opening = this.#opening;
    this.#opening = undefined;
    Promise.resolve(old ?? opening)
      .then((terminal) => terminal?.close())
      .then(() => this.#start())
      .catch((error: unknown) => this.#giveUp(error));
  }
}

function killShell(pid: number): void {
  // A shell that has not said its id has none: 0 would be this process's own group, and -1 everybody.
  if (pid > 1) process.kill(pid, 'SIGKILL');
}

function directoryOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}
