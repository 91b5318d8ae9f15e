import type { ShellOutput } from '@fairlead/executor';

/** `data` is a view that the next push may overwrite: use it at once. */
export interface OutputChunk extends ShellOutput {
  seq: number;
  timeMs: number;
}

interface KeptChunk extends Omit<OutputChunk, 'data'> {
  /** Counted from the first byte ever; its place in the ring is the rest by the ring's size. */
  start: number;
  length: number;
}

const maximumChunks = 50_000;

/**
 * The last live output, as bytes: nothing is decoded for nobody. It is copied into one block of memory, because
 * keeping the terminal's own buffers alive for a while makes the garbage collector slower than the terminal.
 */
export class OutputRing {
  readonly #limitBytes: number;
  readonly #takeSeq: () => number;
  readonly #pending = new Map<string, ShellOutput>();
  #bytes: Buffer | undefined;
  #end = 0;
  #chunks: KeptChunk[] = [];
  #first = 0;

  constructor(takeSeq: () => number, limitBytes = 8 * 1024 * 1024) {
    this.#takeSeq = takeSeq;
    this.#limitBytes = limitBytes;
  }

  push(output: ShellOutput): void {
    const whole = this.#withPending(output);
    const cut = incompleteTail(whole.data);
    if (cut === 0) return this.#add(whole, whole.data);
    this.#pending.set(output.shell, { ...whole, data: Buffer.from(whole.data.subarray(-cut)) });
    if (cut < whole.data.length) this.#add(whole, whole.data.subarray(0, -cut));
  }

  /** Gives out a character that never got its end. */
  flush(shell: string): void {
    const pending = this.#pending.get(shell);
    if (pending === undefined) return;
    this.#pending.delete(shell);
    this.#add(pending, pending.data);
  }

  next(afterSeq: number): OutputChunk | undefined {
    let low = this.#first;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#chunks[middle]!.seq <= afterSeq) low = middle + 1;
      else high = middle;
    }
    const chunk = this.#chunks[low];
    if (chunk === undefined || this.#bytes === undefined) return undefined;
    const at = chunk.start % this.#limitBytes;
    return { ...chunk, data: this.#bytes.subarray(at, at + chunk.length) };
  }

  #withPending(output: ShellOutput): ShellOutput {
    const pending = this.#pending.get(output.shell);
    if (pending === undefined) return output;
    if (pending.actionId !== output.actionId) {
      this.flush(output.shell);
      return output;
    }
    this.#pending.delete(output.shell);
    return { ...output, data: Buffer.concat([pending.data, output.data]) };
  }

  #add({ shell, actionId }: ShellOutput, data: Buffer): void {
    const seq = this.#takeSeq();
    const { length } = data;
    // Its number becomes a gap.
    if (length > this.#limitBytes) return;
    this.#bytes ??= Buffer.allocUnsafeSlow(this.#limitBytes);
    const left = this.#limitBytes - (this.#end % this.#limitBytes);
    // A chunk lies in one piece; what is left at the end stays unused.
    const start = length <= left ? this.#end : this.#end + left;
    data.copy(this.#bytes, start % this.#limitBytes);
    this.#end = start + length;
    this.#chunks.push({ seq, timeMs: Date.now(), shell, actionId, start, length });
    this.#dropOverwritten();
  }

  #dropOverwritten(): void {
    const oldest = this.#end - this.#limitBytes;
    const firstKept = this.#chunks.length - maximumChunks;
    while (this.#first < firstKept || this.#chunks[this.#first]!.start < oldest) this.#first += 1;
    if (this.#first <= 1024 || this.#first * 2 <= this.#chunks.length) return;
    this.#chunks = this.#chunks.slice(this.#first);
    this.#first = 0;
  }
}

/** How many bytes at the end begin a UTF-8 character that is not complete; 0 to 3. */
export function incompleteTail(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return byte < 0xf8 && needed > back ? back : 0;
  }
  return 0;
}
