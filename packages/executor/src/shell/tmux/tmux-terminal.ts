import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { quoteForShell } from '../quote.ts';
import type {
  AdoptedTerminal,
  Terminal,
  TerminalEvents,
  TerminalFactory,
  TerminalRequest,
  TerminalSize,
} from '../terminal.ts';
import { ControlClient, paneDiedLine } from './control-client.ts';

/** More than the contract's 10,000 lines, so that what a server missed is still there after it comes back. */
const historyLines = 12_000;

const configuration = `
set -g default-shell /bin/sh
set -g default-terminal screen-256color
set -g history-limit ${historyLines}
set -g remain-on-exit on
set -g exit-empty off
set -g escape-time 0
set -g status off
set -g allow-rename off
set -g automatic-rename off
set -g window-size latest
set-hook -g pane-died "display-message -p '${paneDiedLine} #{pane_dead_status} #{pane_dead_signal}'"
`;

/**
 * Terminals in a tmux server of our own, which outlives this process: after a crash the shells and what they
 * run are found again. A person can look on with `tmux -S SOCKET attach -t NAME`.
 */
export class TmuxTerminalFactory implements TerminalFactory {
  readonly kind = 'tmux';
  readonly #directory: string;
  readonly #environment: Record<string, string>;
  #queue: Promise<unknown> = Promise.resolve();
  /** More than one when somebody has removed the socket of a server that still runs. */
  readonly #serverPids = new Set<number>();

  /** `environment` is the one the tmux server starts with, and hands on to every shell. */
  constructor(directory: string, environment: Record<string, string>) {
    this.#directory = directory;
    this.#environment = environment;
  }

  get socket(): string {
    return join(this.#directory, 'tmux');
  }

  async open(request: TerminalRequest, events: TerminalEvents): Promise<Terminal> {
    const configurationFile = join(this.#directory, 'tmux.conf');
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await writeFile(configurationFile, configuration, { mode: 0o600 });
    const { cols, rows } = request.size;
    const own = Object.entries(request.env).filter(([name, value]) => this.#environment[name] !== value);
    const launch = ['exec env', ...own.map(([name, value]) => quoteForShell(`${name}=${value}`))];
    const command = [...launch, ...[request.file, ...request.args].map(quoteForShell)].join(' ');
    const size = ['-x', String(cols), '-y', String(rows)];
    const place = ['-s', request.name, '-c', request.cwd];
    const args = [
      '-f',
      configurationFile,
      '-S',
      this.socket,
      '-C',
      'new-session',
      ...size,
      ...place,
      command,
    ];
    // A tmux server that was just killed may still take a call before it is gone.
    for (let attemptsLeft = 2; ; attemptsLeft -= 1) {
      const terminal = new TmuxTerminal(events, (work) => this.#inTurn(work));
      try {
        this.#serverPids.add(await this.#inTurn(() => terminal.start(args, this.#environment, request.size)));
        return terminal;
      } catch (error) {
        if (attemptsLeft === 0) throw error;
        await delay(50);
      }
    }
  }

  async adopt(name: string, events: TerminalEvents): Promise<AdoptedTerminal | undefined> {
    // Attaching would start a server, which goes again at once and takes along whoever comes next.
    if (!(await this.#tmux('has-session', '-t', `=${name}`))) return undefined;
    const terminal = new TmuxTerminal(events, (work) => this.#inTurn(work));
    terminal.mute();
    const args = ['-S', this.socket, '-C', 'attach-session', '-t', `=${name}`];
    try {
      this.#serverPids.add(await this.#inTurn(() => terminal.start(args, this.#environment)));
    } catch {
      return undefined;
    }
    return { terminal, capture: () => terminal.capture() };
  }

  /** Ends the tmux server and with it every shell in it. */
  async close(): Promise<void> {
    await this.#tmux('kill-server');
    await Promise.all([...this.#serverPids].map(endProcess));
  }

  /** tmux (3.3) crashes when a session comes or goes while a control client is still connecting: one at a time. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => {});
    return done;
  }

  /** Whether tmux could do it; never starts a server. */
  async #tmux(...command: string[]): Promise<boolean> {
    if (!existsSync(this.socket)) return false;
    return new Promise((resolve) => {
      const args = ['-S', this.socket, ...command];
      execFile('tmux', args, { env: this.#environment }, (error) => resolve(error === null));
    });
  }
}

class TmuxTerminal implements Terminal {
  readonly #events: TerminalEvents;
  readonly #inTurn: InTurn;
  #client: ControlClient | undefined;
  #pane = '';
  #ended = false;
  #muted = false;

  constructor(events: TerminalEvents, inTurn: InTurn) {
    this.#events = events;
    this.#inTurn = inTurn;
  }

  /** Returns the process id of the tmux server. */
  async start(args: string[], environment: Record<string, string>, size?: TerminalSize): Promise<number> {
    const client = new ControlClient('tmux', args, environment, '/', {
      onOutput: (bytes) => {
        if (!this.#muted) this.#events.onData(bytes);
      },
      onPaneDied: (status, signal) => this.#end(exitCode(status, signal)),
      onGone: () => this.#end(null),
    });
    this.#client = client;
    try {
      await client.started();
    } catch (error) {
      // What never started cannot end: the caller is told by this error alone.
      this.#ended = true;
      throw error;
    }
    if (size !== undefined) client.send(`refresh-client -C ${size.cols}x${size.rows}`);
    const [reply = ''] = await client.command("display-message -p '#{pane_id} #{pid}'");
    const [pane = '', serverPid] = reply.split(' ');
    this.#pane = pane;
    return Number(serverPid);
  }

  write(data: string | Uint8Array): void {
    const bytes = Buffer.from(data as Uint8Array);
    // tmux reads a command line into memory whole; pieces keep it small.
    for (let at = 0; at < bytes.length; at += 1024) {
      const hex = bytes.toString('hex', at, Math.min(at + 1024, bytes.length)).replace(/../g, ' $&');
      this.#client?.send(`send-keys -t ${this.#pane} -H${hex}`);
    }
  }

  resize({ cols, rows }: TerminalSize): void {
    this.#client?.send(`refresh-client -C ${cols}x${rows}`);
  }

  pause(): void {
    this.#client?.pause();
  }

  resume(): void {
    this.#client?.resume();
  }

  /** tmux can miss the signal that tells it of a death, and then says nothing until it is asked. */
  verify(): void {
    const asked = this.#client?.command("display-message -p '#{pane_dead}'");
    asked?.then(([dead]) => dead === '1' && this.#end(null)).catch(() => {});
  }

  /** Until what is shown has been captured. */
  mute(): void {
    this.#muted = true;
  }

  /** What came before the reply is in it; only what follows is news. */
  async capture(): Promise<string> {
    this.mute();
    const asked = ["display-message -p '#{cursor_x}'", `capture-pane -t ${this.#pane} -p -J -S -`];
    const replies = await this.#client?.sequence(asked, () => (this.#muted = false));
    const [[column] = [], lines = []] = replies ?? [];
    const text = lines.join('\n').replace(/\n+$/, '');
    // The empty rest of the screen says nothing; that the last line was ended shows in the cursor alone.
    return column === '0' && text !== '' ? `${text}\n` : text;
  }

  async close(): Promise<void> {
    const client = this.#client;
    client?.resume();
    await this.#inTurn(async () => {
      await client?.command(`kill-session`).catch(() => {});
      client?.detach();
      await client?.gone;
    });
    this.#end(null);
  }

  #end(code: number | null): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#events.onExit({ code });
  }
}

type InTurn = (work: () => Promise<void>) => Promise<void>;

/** A tmux server that was told to end mostly does, and sometimes waits for ever. */
async function endProcess(pid: number): Promise<void> {
  for (let round = 0; round < 100; round += 1) {
    try {
      process.kill(pid, round < 50 ? 0 : 'SIGKILL');
    } catch {
      return;
    }
    await delay(5);
  }
}

function exitCode(status: string, signal: string): number | null {
  if (signal !== '') return 128 + Number(signal);
  return status === '' ? null : Number(status);
}
