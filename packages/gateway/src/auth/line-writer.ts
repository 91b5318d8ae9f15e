import { type FileHandle, open, rename } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

export interface LineWriterOptions {
  path: string;
  /** A file that would grow larger is put aside as `.1`, in place of the one before. */
  maximumFileBytes: number;
  /** Told when lines begin to be lost, and when they no longer are. */
  log(line: string): void;
}

/** Lines of one short while are written at once. */
const gatherMs = 50;
/** What waits for a slow disk at most. */
const maximumWaitingBytes = 4 * 1024 * 1024;

/** Appends lines to a private file. Nobody waits for it: what the disk does not take is counted and lost. */
export class LineWriter {
  readonly #options: LineWriterOptions;
  readonly #closing = new AbortController();
  #waiting: string[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  #file: FileHandle | undefined;
  #fileBytes = 0;
  #lostLines = 0;
  #isFailing = false;

  constructor(options: LineWriterOptions) {
    this.#options = options;
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line) + 1;
    if (this.#closing.signal.aborted || this.#waitingBytes + bytes > maximumWaitingBytes) {
      this.#lostLines += 1;
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += bytes;
    this.#writing ??= this.#writeWaiting();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#writing;
    await this.#closeFile().catch((error: Error) => this.#failed(0, error));
  }

  async #writeWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather();
      const lines = this.#waiting;
      this.#waiting = [];
      this.#waitingBytes = 0;
      try {
        await this.#append(lines);
        this.#succeeded();
      } catch (error) {
        this.#failed(lines.length, error as Error);
      }
    }
    this.#writing = undefined;
  }

  async #gather(): Promise<void> {
    const { signal } = this.#closing;
    await delay(gatherMs, undefined, { signal, ref: false }).catch(() => undefined);
  }

  async #append(lines: string[]): Promise<void> {
    // A write that failed may have left half a line.
    const text = `${this.#isFailing ? '\n' : ''}${lines.join('\n')}\n`;
    const content = Buffer.from(text);
    const file = await this.#fileFor(content.length);
    await file.appendFile(content);
    this.#fileBytes += content.length;
  }

  async #fileFor(bytes: number): Promise<FileHandle> {
    const { path, maximumFileBytes } = this.#options;
    this.#file ??= await this.#open();
    if (this.#fileBytes === 0 || this.#fileBytes + bytes <= maximumFileBytes) return this.#file;
    await this.#closeFile();
    await rename(path, `${path}.1`);
    this.#file = await this.#open();
    return this.#file;
  }

  async #open(): Promise<FileHandle> {
    const file = await open(this.#options.path, 'a', 0o600);
    this.#fileBytes = (await file.stat()).size;
    return file;
  }

  async #closeFile(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  #succeeded(): void {
    if (this.#lostLines > 0) this.#options.log(`${this.#lostLines} lines of ${this.#options.path} are lost`);
    this.#lostLines = 0;
    this.#isFailing = false;
  }

  #failed(lines: number, error: Error): void {
    const { path, log } = this.#options;
    if (!this.#isFailing) log(`cannot write ${path}, its lines are lost until that works: ${error.message}`);
    this.#isFailing = true;
    this.#lostLines += lines;
  }
}
