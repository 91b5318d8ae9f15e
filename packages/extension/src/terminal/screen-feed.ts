import { StringDecoder } from 'node:string_decoder';

/** What a window can draw without getting slow: this much in each moment … */
const momentMs = 30;
const momentBytes = 256 * 1024;
/** … and after a flood the recent output again, this often. */
const floodMs = 500;
const resetScreen = '\x1bc';

export interface ScreenFeedOptions {
  write(text: string): void;
  /** The last bytes of all that was shown, with those that were just pushed. */
  recent(): Uint8Array;
}

/**
 * Terminal bytes on their way to a tab, which cannot say when it is behind. A little goes at once; a flood is dropped,
 * and what is recent of it is shown in its place: the shell never waits for a window.
 */
export class ScreenFeed {
  readonly #options: ScreenFeedOptions;
  #decoder = new StringDecoder('utf8');
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #hasMissed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ScreenFeedOptions) {
    this.#options = options;
  }

  /** The screen as it was, for somebody who has seen nothing yet. */
  begin(): void {
    this.#showRecent('');
    this.#restUntilNext(momentMs);
  }

  push(bytes: Uint8Array): void {
    if (this.#hasMissed) return;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes > momentBytes) this.#miss();
    else if (this.#timer === undefined) this.#flush();
  }

  /** What has come so far is shown; nothing more will be. */
  end(): void {
    clearTimeout(this.#timer);
    if (this.#hasMissed) this.#showRecent(resetScreen);
    else this.#writePending();
    this.#timer = undefined;
  }

  #miss(): void {
    this.#hasMissed = true;
    this.#pending = [];
    this.#pendingBytes = 0;
    if (this.#timer === undefined) this.#restUntilNext(momentMs);
  }

  #flush(): void {
    if (this.#hasMissed) {
      this.#hasMissed = false;
      this.#showRecent(resetScreen);
      this.#restUntilNext(floodMs);
    } else if (this.#pendingBytes > 0) {
      this.#writePending();
      this.#restUntilNext(momentMs);
    }
  }

  #writePending(): void {
    const text = this.#decoder.write(Buffer.concat(this.#pending));
    this.#pending = [];
    this.#pendingBytes = 0;
    if (text !== '') this.#options.write(text);
  }

  #showRecent(before: string): void {
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#decoder = new StringDecoder('utf8');
    this.#options.write(before + this.#decoder.write(fromCharacterStart(this.#options.recent())));
  }

  #restUntilNext(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, delayMs);
  }
}

function fromCharacterStart(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < 3 && start < bytes.length && ((bytes[start] as number) & 0xc0) === 0x80) start += 1;
  return Buffer.from(bytes.subarray(start));
}
