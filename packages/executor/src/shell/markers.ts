/** Operating-system-command number of our control sequences; terminals ignore numbers they do not know. */
export const markerNumber = 7717;

/** What the shell reports in-band. `n` is the number of the command it speaks of. */
export type Marker =
  | { kind: 'begun'; n: number }
  | {
      kind: 'ended';
      n: number;
      exitCode: number;
      backgroundPid: number | null;
      /** The shell's own options, `$-`; empty where they are not known. */
      options: string;
      python: string | null;
      directory: string;
    }
  | {
      kind: 'prompt';
      n: number;
      exitCode: number;
      backgroundPid: number | null;
      python: string | null;
      directory: string;
    }
  /** The prompt is shown whole: what comes next is not the shell's own. */
  | { kind: 'waiting' }
  | { kind: 'exiting'; n: number; exitCode: number; directory: string }
  /** The shell's process is gone. Said by the script that started it. */
  | { kind: 'gone'; exitCode: number }
  | { kind: 'ready'; pid: number; user: string; host: string; prompt: string };

export interface MarkerListener {
  onOutput(bytes: Buffer): void;
  onMarker(marker: Marker): void;
}

/** A marker longer than this is no marker: paths end long before. */
const longestMarkerBytes = 64 * 1024;

/**
 * Separates the shell's reports from the output around them. Only a sequence that opens and closes with the
 * shell's secret is a report; all else, look-alikes included, is output. Chunks may be cut anywhere.
 */
export class MarkerParser {
  readonly #open: Buffer;
  readonly #close: Buffer;
  readonly #listener: MarkerListener;
  #held: Buffer | undefined;

  constructor(secret: string, listener: MarkerListener) {
    this.#open = Buffer.from(`\x1b]${markerNumber};${secret};`);
    this.#close = Buffer.from(`;${secret}\x07`);
    this.#listener = listener;
  }

  feed(chunk: Buffer): void {
    let rest = this.#held === undefined ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = undefined;
    for (;;) {
      const start = rest.indexOf(this.#open);
      if (start === -1) return this.#holdPartialOpening(rest);
      if (start > 0) this.#listener.onOutput(rest.subarray(0, start));
      const end = rest.indexOf(this.#close, start + this.#open.length - 1);
      if (end === -1) return this.#holdUnfinished(rest.subarray(start));
      const body = rest.toString('utf8', start + this.#open.length, end);
      const marker = parseMarker(body);
      if (marker !== undefined) this.#listener.onMarker(marker);
      rest = rest.subarray(end + this.#close.length);
      if (rest.length === 0) return;
    }
  }

  #holdPartialOpening(rest: Buffer): void {
    const from = Math.max(0, rest.length - this.#open.length + 1);
    const escape = rest.indexOf(0x1b, from);
    for (let at = escape; at !== -1; at = rest.indexOf(0x1b, at + 1)) {
      if (this.#open.indexOf(rest.subarray(at)) !== 0) continue;
      this.#held = Buffer.from(rest.subarray(at));
      rest = rest.subarray(0, at);
      break;
    }
    if (rest.length > 0) this.#listener.onOutput(rest);
  }

  #holdUnfinished(rest: Buffer): void {
    if (rest.length > longestMarkerBytes) this.#listener.onOutput(rest);
    else this.#held = Buffer.from(rest);
  }
}

/** A `printf` format for the report that the shell has ended, with its exit code as the argument. */
export function endMarker(secret: string): string {
  return `\\033]${markerNumber};${secret};D;%s;${secret}\\007`;
}

function parseMarker(body: string): Marker | undefined {
  // A newline in a directory's name passed the terminal on its way here.
  const fields = body.replaceAll('\r\n', '\n').split(';');
  const [kind, first = '', second = '', third = ''] = fields;
  switch (kind) {
    case 'S':
      return { kind: 'begun', n: Number(first) };
    case 'E':
      return {
        kind: 'ended',
        n: Number(first),
        exitCode: Number(second),
        backgroundPid: pid(third),
        options: fields[4] ?? '',
        python: fields[5] || null,
        directory: fields.slice(6).join(';'),
      };
    case 'P':
      return {
        kind: 'prompt',
        n: Number(first),
        exitCode: Number(second),
        backgroundPid: pid(third),
        python: fields[4] || null,
        directory: fields.slice(5).join(';'),
      };
    case 'R':
      return { kind: 'waiting' };
    case 'X':
      return {
        kind: 'exiting',
        n: Number(first),
        exitCode: Number(second),
        directory: fields.slice(3).join(';'),
      };
    case 'Q':
      return {
        kind: 'ready',
        pid: Number(first),
        user: second,
        host: third,
        prompt: fields.slice(4).join(';'),
      };
    case 'D':
      return { kind: 'gone', exitCode: Number(first) };
    default:
      return undefined;
  }
}

function pid(text: string): number | null {
  return text === '' ? null : Number(text);
}
