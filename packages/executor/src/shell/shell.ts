import { setTimeout as delay } from 'node:timers/promises';
import { foregroundGroup, isShellAtRest, isTerminalTaken } from '../processes/foreground.ts';
import { kill } from '../processes/kill.ts';
import { CommandOutput } from './command-output.ts';
import { CommandRun, endOf } from './command-run.ts';
import type { CommandShell } from './command-shell.ts';
import { DoubtedPrompt } from './doubted-prompt.ts';
import { HeldEvents } from './held-events.ts';
import { askLine } from './init-script.ts';
import { pressAtPrompt } from './interrupt.ts';
import { takeOverShell } from './left-shell.ts';
import { type Marker, MarkerParser } from './markers.ts';
import { OutputBuffer } from './output-buffer.ts';
import { PersonAtShell } from './person-at-shell.ts';
import { recoverRun } from './recover-output.ts';
import type { ShellOptions } from './shell-options.ts';
import { StartGate } from './start-gate.ts';
import { TakeUp } from './take-up.ts';
import type { Terminal, TerminalEvents, TerminalExit, TerminalSize } from './terminal.ts';
import { within } from './within.ts';

/** Long enough for a slow start-up file. */
const startLimitMs = 15_000;
const promptLimitMs = 1_000;
const askLimitMs = 2_000;

/**
 * A bash in a terminal that is always there: it runs one command at a time, says when and how each ended, and is
 * replaced at once when it dies. Knows nothing of time-outs or of what an agent is told.
 */
export class Shell implements CommandShell {
  readonly #options: ShellOptions;
  #terminal: Terminal | undefined;
  /** A shell may end before its terminal is known to be open. */
  #opening: Promise<Terminal> | undefined;
  #replacing: Promise<void> | undefined;
  readonly #gate = new StartGate();
  #n = 0;
  #run: CommandRun | undefined;
  /** The command that the shell before this one did not begin any more. */
  #handedOn: CommandRun | undefined;
  /** The prompt is there, whole, and nothing was given to the shell since. */
  #promptIsShown = false;
  /** Nobody else types into a pty; tmux may have people that we do not see. */
  readonly #person = new PersonAtShell();
  #outputIsCommands = false;
  #atPrompt = false;
  #onWaiting: (() => void) | undefined;
  readonly #takeUp = new TakeUp({
    write: (data) => this.#terminal?.write(data),
    hasTaken: (run) => this.#outputIsCommands || this.#options.directory.readBegun().n >= run.n,
    isInFront: () => this.#terminal !== undefined && foregroundGroup(this.pid) === this.pid,
    isAtRest: () => isShellAtRest(this.pid),
    drop: (run) => run.finish(endOf(this.directory, null, { begun: false })),
    replace: () => kill(this.pid, 'SIGKILL'),
  });
  #onReady: (() => void) | undefined;
  #idleOutput = new OutputBuffer();
  readonly #doubt = new DoubtedPrompt();
  #exits = false;
  #closed = false;
  directory: string;
  pid = -1;
  user = '';
  host = '';
  #prompt = '';

  constructor(options: ShellOptions) {
    this.#options = options;
    this.directory = options.cwd;
  }

  get size(): TerminalSize {
    return { ...this.#options.size };
  }

  get running(): CommandRun | undefined {
    return this.#run?.end === undefined ? this.#run : undefined;
  }

  get hasBegun(): boolean {
    return this.#outputIsCommands;
  }

  get busyWithPerson(): boolean {
    if (!this.#promptIsShown || (!this.#person.hasTyped && this.#options.factory.kind === 'pty'))
      return false;
    return isTerminalTaken(this.pid, this.#person.isTyping);
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

  async isReady(deadline: number): Promise<boolean> {
    if (this.#gate.isPrompted && this.#terminal !== undefined) return true;
    if (this.#gate.hasGivenUp) this.#restart();
    const tooLate = delay(Math.max(0, deadline - performance.now()), false, { ref: false });
    return Promise.race([this.#hasStarted().then(() => true), tooLate]);
  }

  async start(actionId: string, command: string): Promise<CommandRun> {
    await this.#hasStarted();
    const record = { n: (this.#n += 1), actionId, command };
    const run = new CommandRun(record, new CommandOutput(this.size));
    this.#takeBack();
    this.#options.directory.writeCommand(record);
    this.#run = run;
    this.#atPrompt = false;
    this.#promptIsShown = false;
    this.#takeUp.handOver(run);
    return run;
  }

  async interruptPrompt(actionId: string, command: string): Promise<CommandRun> {
    await this.#hasStarted();
    await this.#promptShown();
    this.#takeBack();
    // Its report carries the number of the last command.
    const run = new CommandRun({ n: this.#n, actionId, command }, new CommandOutput(this.size));
    this.#run = run;
    this.#atPrompt = false;
    this.#outputIsCommands = true;
    pressAtPrompt(this, run);
    return run;
  }

  write(data: string | Uint8Array): void {
    this.#terminal?.write(data);
  }

  type(data: string | Uint8Array): void {
    this.#atPrompt = false;
    this.#person.type(data);
    this.#idleOutput.take();
    this.write(data);
  }

  resize(size: TerminalSize): void {
    this.#person.takeSizeBack();
    Object.assign(this.#options.size, size);
    this.#terminal?.resize(size);
    this.#run?.output.resize(size);
  }

  lend(size: TerminalSize): void {
    // Only a plain pty has the new size at once, and so the old one in time for the next command.
    if (this.#options.factory.kind !== 'pty') return;
    if (this.running === undefined && this.#person.lend(size, this.size)) this.#terminal?.resize(size);
  }

  verify(): void {
    this.#terminal?.verify();
  }

  pause(): void {
    this.#terminal?.pause();
  }

  resume(): void {
    this.#terminal?.resume();
  }

  takeIdleOutput(): Buffer {
    const { head, tail } = this.#idleOutput.take();
    return tail.length === 0 ? head : tail;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#takeUp.stop();
    this.#gate.giveUp(new Error('the shell was closed'));
    // A successor may be on its way.
    await this.#replacing;
    await this.#terminal?.close();
    this.#run?.output.dispose();
  }

  async #start(): Promise<void> {
    const { directory, factory, name, size, launchFile } = this.#options;
    this.#takeBack();
    directory.restore();
    directory.forgetGone();
    directory.forgetBegun();
    const state = directory.findState();
    const env = { ...this.#options.env };
    if (state !== undefined) env['FAIRLEAD_RESTORE'] = state;
    // A start-up file that ends or blocks the shell must not keep the agent out for ever.
    if (this.#gate.failures > 0) env['FAIRLEAD_NO_RC'] = '1';
    const request = { name, size, env, cwd: '/', file: 'bash', args: ['-p', launchFile] };
    const opening = factory.open(request, this.#listen());
    this.#opening = opening;
    const terminal = await opening;
    // Its shell has ended already, and somebody else sees to it.
    if (this.#opening !== opening) return;
    this.#terminal = terminal;
    // The shell may have been quicker than the news that its terminal is open.
    if (this.#gate.isPrompted) this.#gate.open();
    if (this.#closed) return terminal.close();
    const limit = setTimeout(() => void terminal.close(), startLimitMs);
    // Who wants to run something waits for the prompt; nobody else needs to.
    this.#gate.started.catch(() => {}).finally(() => clearTimeout(limit));
  }

  #takeBack(): void {
    this.#person.clear();
    if (this.#person.takeSizeBack()) this.#terminal?.resize(this.size);
  }

  /** A shell may end in the moment between its first prompt and the news of it. */
  async #hasStarted(): Promise<void> {
    do await this.#gate.started;
    while (this.#terminal === undefined);
  }

  #restart(): void {
    this.#gate.reset();
    this.#replacing = this.#start().catch((error: unknown) => this.#gate.giveUp(error));
  }

  async #adopt(): Promise<CommandRun | undefined> {
    const { directory, factory, name } = this.#options;
    const events = new HeldEvents(this.#listen());
    const { left, adopted, shown } = await takeOverShell({ directory, factory, name, events });
    // Also where only the files are left: a new shell takes a number that was given before for a line typed twice.
    this.#n = left.n;
    if (adopted === undefined || shown === undefined) return undefined;
    const { state } = left;
    this.pid = left.pid;
    this.directory = left.workingDirectory ?? this.directory;
    if (state === 'gone') await adopted.terminal.close();
    else {
      this.#terminal = adopted.terminal;
      if (state === 'ended') events.release();
      await this.#comeBackTo(state === 'ended');
    }
    const recovered = { shown, secret: directory.secret, prompt: this.#prompt };
    this.#run = recoverRun(left, recovered, { size: this.size, directory: this.directory });
    this.#outputIsCommands = this.#run !== undefined && state === 'running';
    if (state !== 'gone') events.release();
    return this.#run;
  }

  /** A shell that is found alive: at its prompt, or busy with a command of an agent's or a person's. */
  async #comeBackTo(atPrompt: boolean): Promise<void> {
    this.#gate.onPrompt();
    this.#promptIsShown = atPrompt && this.pid > 0;
    if (atPrompt && !this.busyWithPerson) await this.#ask();
    this.#gate.open();
  }

  #ask(): Promise<void> {
    return within(askLimitMs, (done) => {
      this.#onReady = done;
      this.#terminal?.write(askLine);
    });
  }

  /** A prompt of the person's own making may not say that it is shown: then a moment must do. */
  async #promptShown(): Promise<void> {
    if (!this.#atPrompt) await within(promptLimitMs, (done) => (this.#onWaiting = done));
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
        this.#gate.onServed();
        if (marker.n === this.running?.n) this.#outputIsCommands = true;
        return;
      case 'ended':
        this.#person.onPrompt(marker.n === this.running?.n);
        this.#endDoubt();
        this.#onPrompt(marker);
        return;
      case 'prompt':
        if (this.running !== undefined && marker.n === this.running.n)
          this.#doubt.begin(() => this.#decideDoubt(marker));
        else this.#onPrompt(marker);
        return;
      case 'waiting':
        this.#promptIsShown = this.running === undefined;
        this.#decideIdle();
        this.#person.onWaiting(() => isShellAtRest(this.pid), this.#decideIdle);
        this.#onWaiting?.();
        return;
      case 'exiting':
        this.#exits = true;
        this.directory = marker.directory;
        return;
    }
  }

  readonly #decideIdle = (): void => {
    this.#atPrompt = this.#promptIsShown && !this.#person.isTyping;
  };

  /** What is in front of the shell now tells whether it is at its prompt. */
  #decideDoubt(marker: Extract<Marker, { kind: 'prompt' }>, wasAtRest = false): void {
    if (foregroundGroup(this.pid) !== this.pid) return this.#endDoubt();
    // One that is at work is not at its prompt. One that is may have said so already, and it is not read yet: look twice.
    const isAtRest = isShellAtRest(this.pid);
    if (!isAtRest || !wasAtRest) return this.#doubt.goOn(() => this.#decideDoubt(marker, isAtRest));
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
    this.#gate.onPrompt();
    this.directory = marker.directory;
    if (this.#terminal !== undefined) this.#gate.open();
    const run = this.running;
    // A report that speaks of another command is an old one, printed again by somebody.
    if (run === undefined || marker.n !== run.n) return;
    this.#outputIsCommands = false;
    const traced = marker.kind === 'ended' && /[vx]/.test(marker.options);
    run.finish(endOf(this.directory, marker.exitCode, { ...marker, traced }));
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
    run?.finish(endOf(this.directory, code, { begun: !isPending, shellEnded: true, saysExit }));
  }

  /** The shell was already on its way out when it was told to run this, and has not begun it. */
  #handToSuccessor(run: CommandRun): void {
    this.#handedOn = run;
    this.#gate.started.then(
      () => this.#takeUp.handOver(run),
      () => run.finish(endOf(this.directory, null, { begun: false, shellEnded: true })),
    );
  }

  #replace(exit: TerminalExit, old: Terminal | undefined): void {
    this.#terminal = undefined;
    this.#gate.onGone(exit.code);
    if (this.#gate.hasGivenUp) return;
    this.#replacing = Promise.resolve(old ?? this.#opening)
      .then((terminal) => terminal?.close())
      .then(() => (this.#closed ? undefined : this.#start()))
      .catch((error: unknown) => this.#gate.giveUp(error));
  }
}
