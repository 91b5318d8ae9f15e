import { StringDecoder } from 'node:string_decoder';
import type { IBuffer, IMarker, Terminal } from '@xterm/headless';
import type { TerminalSize } from '../terminal.ts';
import { unicodeWidths } from './unicode-widths.ts';

const scrollbackLines = 10_000;
/** The terminal parses a piece at a time without a break; this many bytes take it a few milliseconds. */
const pieceBytes = 32 * 1024;

/** A terminal without a window: for output that moves the cursor between lines or takes the whole screen. */
export class Screen {
  #size: TerminalSize;
  #terminal: Terminal | undefined;
  readonly #decoder = new StringDecoder('utf8');
  readonly #disposed = Promise.withResolvers<void>();
  #isDisposed = false;
  #written: Promise<void> = Promise.resolve();
  #mark: IMarker | undefined;
  #marksOnReturn = false;

  constructor(size: TerminalSize) {
    this.#size = size;
  }

  /** Resolves when the bytes are on the screen, in the order of the calls. The bytes must not change until then. */
  write(bytes: Uint8Array): Promise<void> {
    this.#written = this.#written.then(() => this.#writePieces(bytes));
    return this.#written;
  }

  resize(size: TerminalSize): void {
    this.#size = size;
    this.#terminal?.resize(size.cols, size.rows);
  }

  get isAlternate(): boolean {
    return this.#terminal?.buffer.active.type === 'alternate';
  }

  /** The alternate screen as it stands, or else the normal screen with what scrolled off it (10,000 lines). */
  text(): string {
    return this.#textFrom(0);
  }

  /** Remembers the line of the cursor on the normal screen. */
  mark(): void {
    this.#mark?.dispose();
    this.#mark = this.#terminal?.registerMarker(0);
    this.#marksOnReturn = this.isAlternate;
  }

  /** Like `text`, but of the normal screen only what stands in the marked line and below. All if that line is gone. */
  textSinceMark(): string {
    const line = this.#mark?.line ?? 0;
    return this.#textFrom(Math.max(0, line));
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#disposed.resolve();
    this.#terminal?.dispose();
  }

  async #writePieces(bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length && !this.#isDisposed; start += pieceBytes) {
      const terminal = (this.#terminal ??= await this.#open());
      const text = this.#decoder.write(bytes.subarray(start, start + pieceBytes));
      const parsed = new Promise<void>((resolve) => terminal.write(text, resolve));
      // A terminal that is disposed never answers.
      await Promise.race([parsed, this.#disposed.promise]);
    }
  }

  /** Loaded on first use: most sessions never need it. */
  async #open(): Promise<Terminal> {
    const { default: xterm } = await import('@xterm/headless');
    const terminal = new xterm.Terminal({
      ...this.#size,
      scrollback: scrollbackLines,
      allowProposedApi: true,
      logLevel: 'off',
    });
    terminal.unicode.register(unicodeWidths);
    terminal.unicode.activeVersion = unicodeWidths.version;
    terminal.buffer.onBufferChange(() => this.#markOnReturn(terminal));
    return terminal;
  }

  #markOnReturn(terminal: Terminal): void {
    if (!this.#marksOnReturn || terminal.buffer.active.type === 'alternate') return;
    this.#mark = terminal.registerMarker(0);
    this.#marksOnReturn = false;
  }

  #textFrom(line: number): string {
    if (!this.#terminal) return '';
    const { active } = this.#terminal.buffer;
    const lines = active.type === 'alternate' ? linesOf(active, 0) : linesOf(active, line);
    while (lines.at(-1) === '') lines.pop();
    return lines.join('\n');
  }
}

function linesOf(buffer: IBuffer, first: number): string[] {
  const lines: string[] = [];
  for (let index = first; index < buffer.length; index += 1) {
    const line = buffer.getLine(index);
    if (!line) break;
    const text = line.translateToString(true);
    if (line.isWrapped && lines.length > 0) lines.push(lines.pop()! + text);
    else lines.push(text);
  }
  return lines.map(withoutTrailingBlanks);
}

function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end -= 1;
  return line.slice(0, end);
}
