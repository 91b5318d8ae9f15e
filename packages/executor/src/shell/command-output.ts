import { setTimeout as delay } from 'node:timers/promises';
import { ByteRing } from './byte-ring.ts';
import { type KeptOutput, OutputBuffer } from './output-buffer.ts';
import { AlternateScreenWatch } from './render/escape-scan.ts';
import { renderText } from './render/render-text.ts';
import { Screen } from './render/screen.ts';
import { incompleteTailLength } from './render/incomplete-tail.ts';
import type { TerminalSize } from './terminal.ts';
import { maxLines, truncationNotice } from './texts.ts';

/** How much of a long output is rendered where not all of it can be shown; the emulator is slow. */
const screenBytes = 1024 * 1024;
/** How long an answer waits for the emulator. */
const screenLimitMs = 500;

export interface OutputText {
  text: string;
  /** How many lines are left of more, when there were too many. */
  lastLines?: number;
}

/**
 * The output of one command, in the order it came, as the text a person would see. Plain output costs one pass
 * and bounded memory; output that addresses the screen goes through a terminal emulator.
 */
export class CommandOutput {
  readonly #buffer = new OutputBuffer();
  readonly #watch = new AlternateScreenWatch();
  readonly #size: TerminalSize;
  #screen: Screen | undefined;
  /** What the emulator has not had yet: the last stretch of it, when it cannot follow. */
  readonly #backlog = new ByteRing(screenBytes);
  #screenWork: Promise<void> | undefined;

  constructor(size: TerminalSize) {
    this.#size = size;
  }

  append(chunk: Buffer): void {
    if (this.#screen !== undefined) {
      this.#writeToScreen(chunk);
      return;
    }
    this.#buffer.append(chunk);
    if (this.#watch.feed(chunk)) this.#openScreen();
  }

  resize(size: TerminalSize): void {
    this.#size.cols = size.cols;
    this.#size.rows = size.rows;
    this.#screen?.resize(size);
  }

  /** The text that came since the last call. `final`: nothing follows, so nothing is held back. */
  async take(final: boolean): Promise<OutputText> {
    if (this.#screen === undefined) {
      const kept = this.#buffer.take();
      if (kept.droppedBytes > 0) return this.#takeCut(kept);
      const plain = this.#takePlain(kept, final);
      if (plain !== undefined) return plain;
    }
    await Promise.race([this.#screenWork, delay(screenLimitMs)]);
    const screen = this.#screen as Screen;
    const text = screen.textSinceMark();
    screen.mark();
    if (final) this.dispose();
    return lastLines(text, 0);
  }

  dispose(): void {
    this.#screen?.dispose();
    this.#screen = undefined;
  }

  /** Undefined when the bytes need a screen, which then has them. */
  #takePlain({ head, tail, newlines }: KeptOutput, final: boolean): OutputText | undefined {
    const bytes = tail.length === 0 ? head : Buffer.concat([head, tail]);
    const ready = final ? bytes.length : bytes.length - incompleteTailLength(bytes);
    const text = renderText(newlines > maxLines ? endOf(bytes.subarray(0, ready)) : bytes.subarray(0, ready));
    if (text === undefined) {
      this.#buffer.append(bytes);
      this.#openScreen();
      return undefined;
    }
    if (ready < bytes.length) this.#buffer.append(bytes.subarray(ready));
    return lastLines(withoutFinalNewline(text), newlines);
  }

  /** More than is kept: its end, or its beginning and its end if that is all one would be shown anyway. */
  async #takeCut({ head, tail, newlines }: KeptOutput): Promise<OutputText> {
    const hasManyLines = newlines > maxLines;
    // Of a few endless lines nobody is shown more than the last stretch.
    const last = hasManyLines ? endOf(fromLineStart(tail)) : fromLineStart(tail.subarray(-screenBytes));
    const end = withoutFinalNewline(await this.#renderCut(last));
    if (hasManyLines) return lastLines(end, newlines);
    return { text: (await this.#renderCut(head)) + truncationNotice + end };
  }

  async #renderCut(bytes: Buffer): Promise<string> {
    const text = renderText(bytes);
    if (text !== undefined) return text;
    const screen = new Screen(this.#size);
    await screen.write(bytes.subarray(-screenBytes));
    const shown = screen.text();
    screen.dispose();
    return shown;
  }

  #openScreen(): void {
    const screen = new Screen(this.#size);
    this.#screen = screen;
    const { head, tail } = this.#buffer.take();
    this.#writeToScreen(head);
    this.#writeToScreen(tail);
  }

  #writeToScreen(bytes: Buffer): void {
    this.#backlog.append(bytes);
    this.#screenWork ??= this.#workOff().finally(() => (this.#screenWork = undefined));
  }

  async #workOff(): Promise<void> {
    while (this.#backlog.length > 0 && this.#screen !== undefined) {
      const bytes = this.#backlog.bytes();
      this.#backlog.clear();
      await this.#screen.write(bytes);
    }
  }
}

/** The last lines that can be shown, and one more: rendering the rest would be for nothing. */
function endOf(bytes: Buffer): Buffer {
  let start = bytes.length;
  for (let count = 0; count <= maxLines + 1; count += 1) {
    if (start === 0) return bytes;
    start = bytes.lastIndexOf(0x0a, start - 1);
    if (start === -1) return bytes;
  }
  return bytes.subarray(start + 1);
}

/** Output that was cut may begin within a character or a sequence: begin with the next line, if there is one. */
function fromLineStart(bytes: Buffer): Buffer {
  const lineEnd = bytes.indexOf(0x0a);
  if (lineEnd !== -1) return bytes.subarray(lineEnd + 1);
  let start = 0;
  while (start < bytes.length && ((bytes[start] as number) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}

function withoutFinalNewline(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

/** Cuts to the last lines the contract allows. `newlines`: how many there were, if the text is known to be cut. */
function lastLines(text: string, newlines: number): OutputText {
  let start = text.length;
  for (let count = 0; count < maxLines; count += 1) {
    start = text.lastIndexOf('\n', start - 1);
    if (start === -1) return newlines > maxLines ? { text, lastLines: count + 1 } : { text };
    if (start === 0) return count + 2 > maxLines ? { text: text.slice(1), lastLines: maxLines } : { text };
  }
  return { text: text.slice(start + 1), lastLines: maxLines };
}
