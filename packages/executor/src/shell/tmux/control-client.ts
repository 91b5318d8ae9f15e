import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { decodeOutput } from './decode-output.ts';

export interface ControlEvents {
  onOutput(bytes: Buffer): void;
  /** A line that our own configuration makes tmux print, see `paneDiedLine`. */
  onPaneDied(status: string, signal: string): void;
  /** The client has gone, with or without its server. */
  onGone(): void;
}

export const paneDiedLine = 'fairlead-pane-died';

interface PendingCommand {
  resolve(lines: string[]): void;
  reject(error: Error): void;
}

/** One `tmux -C` process: commands in, replies in order, and a pane's output as it comes. */
export class ControlClient {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #events: ControlEvents;
  readonly #pending: PendingCommand[] = [];
  /** The reply being read; tmux answers the command it was started with first. */
  #reply: string[] | undefined;
  #rest: Buffer[] = [];
  #stderr = '';
  #gone = false;
  readonly #left = Promise.withResolvers<void>();

  constructor(file: string, args: string[], env: Record<string, string>, cwd: string, events: ControlEvents) {
    this.#events = events;
    this.#process = spawn(file, args, { env, cwd, stdio: 'pipe' });
    this.#process.on('error', (error) => this.#end(error.message));
    this.#process.on('close', () => this.#end(this.#stderr.trim() || 'tmux has exited'));
    // Without a file descriptor to spare there are no streams, which the library's types do not say.
    this.#process.stdout?.on('data', (chunk: Buffer) => this.#onData(chunk));
    this.#process.stderr?.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString()));
    // Writing to a tmux that has just died must not take the server along.
    this.#process.stdin?.on('error', () => {});
  }

  /** Resolves when the process has ended. */
  get gone(): Promise<void> {
    return this.#left.promise;
  }

  /** The reply to the command on tmux's own command line. */
  started(): Promise<string[]> {
    return this.#expectReply();
  }

  command(line: string): Promise<string[]> {
    const reply = this.#expectReply();
    if (!this.#gone) this.#process.stdin?.write(`${line}\n`);
    return reply;
  }

  /** Commands that tmux does in one go, and a reply to each. `onReply` runs before anything behind them is read. */
  sequence(lines: string[], onReply: () => void): Promise<string[][]> {
    const replies = lines.map((_, index) =>
      this.#expectReply(index === lines.length - 1 ? onReply : undefined),
    );
    if (!this.#gone) this.#process.stdin.write(`${lines.join(' ; ')}\n`);
    return Promise.all(replies);
  }

  /** For commands nobody waits for: a failure shows in what comes next. */
  send(line: string): void {
    this.command(line).catch(() => {});
  }

  pause(): void {
    this.#process.stdout?.pause();
  }

  resume(): void {
    this.#process.stdout?.resume();
  }

  /** Lets go of the server, which goes on. */
  detach(): void {
    this.#process.stdin?.end();
  }

  #expectReply(onReply?: () => void): Promise<string[]> {
    if (this.#gone) return Promise.reject(new Error('tmux has exited'));
    return new Promise((resolve, reject) => {
      const settled = (lines: string[]) => {
        onReply?.();
        resolve(lines);
      };
      this.#pending.push({ resolve: settled, reject });
    });
  }

  #onData(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(0x0a, start);
      if (end === -1) break;
      const piece = chunk.subarray(start, end);
      const line = this.#rest.length === 0 ? piece : Buffer.concat([...this.#rest.splice(0), piece]);
      this.#onLine(line);
      start = end + 1;
    }
    if (start < chunk.length) this.#rest.push(chunk.subarray(start));
  }

  #onLine(line: Buffer): void {
    if (line[0] === 0x25 && this.#reply === undefined && line.subarray(0, 8).equals(outputPrefix)) {
      const space = line.indexOf(0x20, 8);
      this.#events.onOutput(decodeOutput(line.subarray(space + 1)));
      return;
    }
    const text = line.toString('utf8');
    if (text.startsWith('%begin ')) this.#reply = [];
    else if (text.startsWith('%end ')) this.#settle((pending, lines) => pending.resolve(lines));
    else if (text.startsWith('%error '))
      this.#settle((pending, lines) => pending.reject(new Error(lines.join('\n'))));
    else if (this.#reply !== undefined) this.#reply.push(text);
    else if (text.startsWith(paneDiedLine)) {
      const [, status = '', signal = ''] = text.split(' ');
      this.#events.onPaneDied(status, signal);
    }
  }

  #settle(act: (pending: PendingCommand, lines: string[]) => void): void {
    const lines = this.#reply ?? [];
    this.#reply = undefined;
    const pending = this.#pending.shift();
    if (pending !== undefined) act(pending, lines);
  }

  #end(reason: string): void {
    if (this.#gone) return;
    this.#gone = true;
    for (const pending of this.#pending.splice(0)) pending.reject(new Error(reason));
    this.#left.resolve();
    this.#events.onGone();
  }
}

const outputPrefix = Buffer.from('%output ');
