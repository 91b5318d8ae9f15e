import { setTimeout as delay } from 'node:timers/promises';
import type { ErrorObservation, RunMetadata, RunObservation } from '@fairlead/protocol';
import { errorObservation, runObservation } from '@fairlead/protocol/answers';
import { ByteRing } from './byte-ring.ts';
import { inputBytes, specialKey } from './keys.ts';
import type { CommandRun, WaitResult } from './command-run.ts';
import type { CommandShell } from './command-shell.ts';
import { interrupt, pressInterrupt } from './interrupt.ts';
import { renderText } from './render/render-text.ts';
import type { AttachableShell } from './session-shells.ts';
import { splitCommands } from './split/split-commands.ts';
import { isTakenWhole } from './split/taken-whole.ts';
import type { TerminalSize } from './terminal.ts';
import { cutToSize, texts } from './texts.ts';
import { Turns } from './turns.ts';

/** What a person who attaches is shown of what went before. */
const recentBytes = 256 * 1024;

/** The contract's clients always set one; whoever does not still gets an answer. */
const defaultTimeoutSeconds = 120;
/** How often, and in what time, a person's program must be seen to have the terminal. */
const mostLooks = 5;
const lookAgainMs = 10;

export interface RunRequest {
  actionId: string;
  command: string;
  isInput: boolean;
  blocking: boolean;
  hidden: boolean;
  timeoutSeconds?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface ShellSessionOptions {
  name: string;
  noChangeTimeoutSeconds: number;
  /** The shell tells of its output, and of the command that it belongs to. */
  makeShell(onOutput: (bytes: Buffer, run: CommandRun | undefined) => void): CommandShell;
  onOutput(data: Buffer, actionId: string | null): void;
}

type Answer = RunObservation | ErrorObservation;

/** One persistent shell as an agent sees it: what may run when, how long an answer waits, and what it says. */
export class ShellSession implements AttachableShell {
  readonly name: string;
  readonly #shell: CommandShell;
  readonly #silenceMs: number;
  readonly #recent = new ByteRing(recentBytes);
  readonly #turns = new Turns();
  /** The last command, until all of its output was delivered. */
  #run: CommandRun | undefined;
  /** How the last command ended that was delivered whole. */
  #last: Partial<RunMetadata> = {};

  private constructor(options: ShellSessionOptions) {
    this.name = options.name;
    this.#silenceMs = options.noChangeTimeoutSeconds * 1000;
    this.#shell = options.makeShell((bytes, run) => {
      this.#recent.append(bytes);
      options.onOutput(bytes, run?.actionId ?? null);
    });
  }

  static async open(options: ShellSessionOptions): Promise<ShellSession> {
    const session = new ShellSession(options);
    session.#run = await session.#shell.open();
    return session;
  }

  get cwd(): string {
    return this.#shell.directory;
  }

  get pid(): number {
    return this.#shell.pid;
  }

  get size(): TerminalSize {
    return this.#shell.size;
  }

  /** Always answers, at the latest at the request's deadline; one request at a time. */
  async run(request: RunRequest): Promise<Answer> {
    const deadline = performance.now() + timeoutMs(request);
    // Input is for what runs now: it must not wait until that has answered.
    const sent = request.isInput && this.#turns.busy && this.#sendInput(request.command);
    const isTurn = await this.#turns.take(deadline, request.signal);
    if (!isTurn) {
      const why = request.signal?.aborted ? 'cancelled' : 'waited';
      return this.#notNow(request, texts.neverStarted(request.command, why));
    }
    try {
      return await this.#decide({ ...request, deadline, sent });
    } catch (error) {
      return this.#failure(request, error);
    } finally {
      this.#turns.release();
    }
  }

  /** The answer of a command that was started under this id, by this process or by one before it. */
  outcomeOf(actionId: string, request: Omit<RunRequest, 'command' | 'isInput'>): Promise<Answer> | undefined {
    if (this.#run?.actionId !== actionId) return undefined;
    return this.run({ ...request, command: '', isInput: false });
  }

  type(data: string | Uint8Array): void {
    this.#shell.type(data);
  }

  resize(size: TerminalSize): void {
    this.#shell.resize(size);
  }

  lend(size: TerminalSize): void {
    this.#shell.lend(size);
  }

  recentOutput(): Buffer {
    return this.#recent.bytes();
  }

  pause(): void {
    this.#shell.pause();
  }

  resume(): void {
    this.#shell.resume();
  }

  close(): Promise<void> {
    return this.#shell.close();
  }

  /** The contract's decision table. */
  async #decide(request: Turn): Promise<Answer> {
    const { isInput } = request;
    const command = isInput ? request.command : request.command.trim();
    const isEmpty = command.trim() === '';
    const run = this.#run;
    if (run === undefined) {
      if (isEmpty) return runObservation('', texts.nothingToRetrieve);
      if (isInput) return this.#inputWithoutRun(request);
    } else if (run.end !== undefined) {
      if (isEmpty) return this.#deliver(run, request, 'ended');
      if (isInput)
        return this.#deliver(run, request, 'ended', { suffix: request.sent ? '' : texts.inputNotSent });
    } else {
      if (!isEmpty && !isInput)
        return this.#refuseSeveral(command, request) ?? this.#stillRunning(run, command, request);
      if (!isEmpty && !request.sent) this.#sendInput(command);
      return this.#waitAndDeliver(run, request);
    }
    if (await this.#isTaken()) return this.#notNow(request, texts.notExecuted(command));
    return this.#start(command, request);
  }

  /** Asks more than once: a shell that only echoes a key rests again a moment later. */
  async #isTaken(): Promise<boolean> {
    for (let looks = 1; this.#shell.busyWithPerson; looks += 1) {
      if (looks === mostLooks) return true;
      await delay(lookAgainMs);
    }
    return false;
  }

  async #start(command: string, request: Turn): Promise<Answer> {
    if (command.includes('\0')) return this.#refuse(command, texts.nulByte, request);
    const key = specialKey(command);
    if (key !== undefined && key !== '\x03') return runObservation(command, texts.nothingToInteractWith);
    const several = this.#refuseSeveral(command, request);
    if (several !== undefined) return several;
    if (!(await this.#shell.isReady(request.deadline)))
      return this.#notNow(request, texts.neverStarted(command, 'starting'));
    const prefix = await this.#outputBefore();
    const run =
      key === undefined
        ? await this.#shell.start(request.actionId, command)
        : await this.#shell.interruptPrompt(request.actionId, command);
    this.#run = run;
    return this.#waitAndDeliver(run, request, { prefix });
  }

  async #waitAndDeliver(run: CommandRun, request: Turn, around: Around = {}): Promise<Answer> {
    const silenceMs = request.blocking ? undefined : this.#silenceMs;
    const timeLeftMs = Math.max(0, request.deadline - performance.now());
    const result = await run.wait({ timeoutMs: timeLeftMs, silenceMs, signal: request.signal });
    // Who presses Ctrl-C for the third time means it.
    if (result === 'aborted' || (result !== 'ended' && run.interruptCount >= 3))
      await interrupt(this.#shell, run);
    else if (result !== 'ended') this.#shell.verify();
    return this.#deliver(run, request, result, around);
  }

  /** One observation of a command: what it printed since the last one, and where it stands. */
  async #deliver(run: CommandRun, request: Turn, result: WaitResult, around: Around = {}): Promise<Answer> {
    const { end } = run;
    const { text, lastLines } = await this.#takeText(run);
    const { prefix = '', suffix = '' } = around;
    const cut = lastLines === undefined ? '' : texts.lastLines(lastLines);
    if (end === undefined) {
      const continued = run.partlyDelivered ? texts.belowIsPrevious : cut;
      run.partlyDelivered = true;
      const why = result === 'silent' ? texts.noNewOutput(this.#silenceMs / 1000) : stopText(request, result);
      return this.#observe(request, text, { prefix: prefix + continued, suffix: why });
    }
    this.#run = undefined;
    this.#last = {
      exit_code: end.exitCode ?? -1,
      pid: end.backgroundPid ?? -1,
      username: this.#shell.user,
      hostname: this.#shell.host,
      working_dir: this.#shell.directory,
      py_interpreter_path: end.python,
    };
    const cancelled = result === 'aborted' ? texts.cancelled : '';
    return this.#observe(request, text, {
      ...this.#last,
      prefix: prefix + cut,
      suffix: this.#endText(run, request) + cancelled + suffix,
    });
  }

  /** Input that reached a command whose end was told to somebody else. */
  #inputWithoutRun(request: Turn): Answer {
    if (!request.sent) return runObservation('', texts.nothingToInteractWith);
    const suffix = texts.completed(this.#last.exit_code ?? -1, keyName(request.command));
    return this.#observe(request, '', { ...this.#last, suffix });
  }

  #endText(run: CommandRun, request: Turn): string {
    const { exitCode, shellEnded, begun, note } = run.end ?? {};
    if (begun === false) return texts.neverStarted(run.command, run.isCancelled ? 'cancelled' : 'lost');
    if (exitCode == null) return note ?? texts.unknownEnd;
    const ended = texts.completed(exitCode, keyName(request.command));
    return ended + (note ?? (shellEnded ? texts.shellEnded(this.#shell.directory) : ''));
  }

  async #takeText(run: CommandRun): Promise<{ text: string; lastLines?: number }> {
    const output = await run.output.take(run.end !== undefined);
    if (run.end?.traced) return { ...output, text: withoutOwnTrace(output.text) };
    if (run.end?.saysExit) return { ...output, text: output.text.replace(/(^|\n)(exit|logout)$/, '') };
    return output;
  }

  /** What came after the last observation and before this command, told apart from what it prints itself. */
  async #outputBefore(): Promise<string> {
    const finished = this.#run;
    const idle = (renderText(this.#shell.takeIdleOutput()) ?? '').trim();
    const background = idle === '' ? '' : texts.backgroundOutput(cutToSize(idle));
    if (finished?.end === undefined) return background;
    const { text } = await this.#takeText(finished);
    this.#run = undefined;
    if (text === '') return background;
    return texts.previousFinished(finished.end.exitCode ?? -1, cutToSize(text)) + background;
  }

  async #stillRunning(run: CommandRun, command: string, request: Turn): Promise<Answer> {
    const { text } = await this.#takeText(run);
    const prefix = run.partlyDelivered ? texts.belowIsPrevious : '';
    run.partlyDelivered = true;
    return this.#observe({ ...request, command }, text, { prefix, suffix: texts.notExecuted(command) });
  }

  #observe(request: Turn, content: string, metadata: Partial<RunMetadata>): RunObservation {
    const shown = request.hidden ? content : cutToSize(content);
    return runObservation(request.command, shown, metadata, request.hidden);
  }

  #notNow(request: RunRequest, suffix: string): RunObservation {
    return runObservation(request.command, '', { suffix }, request.hidden);
  }

  #refuseSeveral(command: string, request: Turn): Answer | undefined {
    const commands = splitCommands(command);
    if (commands.length <= 1 || isTakenWhole(command)) return undefined;
    return this.#refuse(command, texts.severalCommands(commands), request);
  }

  /** Stock clients cannot decode an error observation for a hidden command. */
  #refuse(command: string, reason: string, request: Turn): Answer {
    return request.hidden ? runObservation(command, reason, {}, true) : errorObservation(reason);
  }

  #failure(request: RunRequest, error: unknown): Answer {
    const reason = error instanceof Error ? error.message : String(error);
    return this.#refuse(
      request.command,
      `ERROR: The shell could not be started: ${reason}. Nothing was executed; send the command again to retry.`,
      { ...request, deadline: 0, sent: false },
    );
  }

  #sendInput(text: string): boolean {
    const { running } = this.#shell;
    if (text.trim() === '' || running === undefined) return false;
    if (specialKey(text.trim()) === '\x03') {
      running.interruptCount += 1;
      if (!this.#shell.hasBegun) running.isCancelled = true;
      pressInterrupt(this.#shell, running);
    } else this.#shell.write(inputBytes(text));
    return true;
  }
}

interface Turn extends RunRequest {
  /** On the clock of `performance.now()`. */
  deadline: number;
  /** The input has already gone to the terminal. */
  sent: boolean;
}

function timeoutMs(request: RunRequest): number {
  return (request.timeoutSeconds ?? defaultTimeoutSeconds) * 1000;
}

interface Around {
  prefix?: string;
  suffix?: string;
}

function keyName(command: string): string | undefined {
  return specialKey(command.trim()) === undefined ? undefined : command.trim().slice(2);
}

/** The trace of what follows a command: `+ __fe` and all behind it. */
function withoutOwnTrace(text: string): string {
  const places = ['__fe', '__fl_p', '${__fl_hook'].map((name) => text.lastIndexOf(name));
  const line = places.find((place) => place !== -1);
  if (line === undefined) return text;
  const before = text.slice(0, line);
  if (!before.endsWith('+ ')) return before.slice(0, Math.max(0, before.lastIndexOf('\n')));
  let end = before.length - 1;
  while (before[end - 1] === '+') end -= 1;
  return before.slice(0, before[end - 1] === '\n' ? end - 1 : end);
}

function stopText(request: RunRequest, result: WaitResult): string {
  if (result === 'aborted') return texts.cancelled;
  return texts.timedOut(request.timeoutSeconds ?? defaultTimeoutSeconds);
}
