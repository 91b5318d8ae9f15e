import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';

const newline = 10;

/** One append-only file of lines. A line that a crash cut short is dropped when the file is opened. */
export class JournalFile {
  readonly #descriptor: number;
  #sizeBytes: number;
  #isClosed = false;

  constructor(path: string) {
    this.#descriptor = openSync(path, 'a+', 0o600);
    this.#sizeBytes = fstatSync(this.#descriptor).size;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Every whole line with its place; what follows the last line end is cut off. */
  recover(visit: (line: Buffer, span: Span) => void): void {
    const bytes = readFileSync(this.#descriptor);
    let start = 0;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
      visit(bytes.subarray(start, end), { file: this, start, length: end - start });
      start = end + 1;
    }
    if (start < bytes.length) ftruncateSync(this.#descriptor, start);
    this.#sizeBytes = start;
  }

  /** Whole or not at all: a full disk leaves the file as it was, and throws. */
  append(line: string): Span {
    // The number of a closed file may already be another file's.
    if (this.#isClosed) throw new Error('the journal is closed');
    const bytes = Buffer.from(`${line}\n`);
    const start = this.#sizeBytes;
    try {
      for (let written = 0; written < bytes.length;) written += writeSync(this.#descriptor, bytes, written);
    } catch (error) {
      ftruncateSync(this.#descriptor, start);
      throw error;
    }
    this.#sizeBytes += bytes.length;
    return { file: this, start, length: bytes.length - 1 };
  }

  read(span: Span): string {
    const bytes = Buffer.allocUnsafe(span.length);
    const count = readSync(this.#descriptor, bytes, 0, span.length, span.start);
    return bytes.toString('utf8', 0, count);
  }

  close(): void {
    this.#isClosed = true;
    closeSync(this.#descriptor);
  }
}

export interface Span {
  file: JournalFile;
  start: number;
  length: number;
}
