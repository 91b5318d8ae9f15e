import type { IPty } from '@lydell/node-pty';
import { PtyInput } from './pty-input.ts';
import type { Terminal, TerminalEvents, TerminalFactory, TerminalRequest, TerminalSize } from './terminal.ts';

/** Terminals that live and die with this process. */
export class PtyTerminalFactory implements TerminalFactory {
  readonly kind = 'pty';

  async open(request: TerminalRequest, events: TerminalEvents): Promise<Terminal> {
    const { spawn } = await import('@lydell/node-pty');
    const pty = spawn(request.file, request.args, {
      cwd: request.cwd,
      env: request.env,
      cols: request.size.cols,
      rows: request.size.rows,
      // Bytes, not text: a character may be cut between two reads.
      encoding: null,
    });
    return new PtyTerminal(pty, events);
  }

  async adopt(): Promise<undefined> {
    return undefined;
  }

  async close(): Promise<void> {}
}

class PtyTerminal implements Terminal {
  readonly #pty: IPty;
  readonly #input: PtyInput;
  readonly #exited: Promise<void>;
  #open = true;

  constructor(pty: IPty, events: TerminalEvents) {
    this.#pty = pty;
    this.#input = new PtyInput(pty);
    // With `encoding: null` the library hands out buffers, which its types do not say.
    pty.onData((data) => events.onData(data as unknown as Buffer));
    this.#exited = new Promise((resolve) => {
      pty.onExit(({ exitCode, signal }) => {
        this.#open = false;
        this.#input.close();
        resolve();
        events.onExit({ code: signal ? 128 + signal : exitCode });
      });
    });
  }

  write(data: string | Uint8Array): void {
    if (this.#open) this.#input.write(data);
  }

  resize({ cols, rows }: TerminalSize): void {
    if (this.#open) this.#pty.resize(cols, rows);
  }

  pause(): void {
    this.#pty.pause();
  }

  resume(): void {
    this.#pty.resume();
  }

  /** The library tells of every end by itself. */
  verify(): void {}

  async close(): Promise<void> {
    if (this.#open) {
      // A paused terminal would never see the end of its output, and so never the end of its shell.
      this.#pty.resume();
      this.#pty.kill('SIGKILL');
    }
    await this.#exited;
  }
}
