/** Tells from a stream of terminal bytes, cut anywhere, that a program went to the alternate screen. */
export class AlternateScreenWatch {
  #entered = false;
  /** The beginning of a sequence that the last chunk ended in. */
  #tail = '';

  /** True from the chunk on that completes the sequence. */
  feed(chunk: Buffer): boolean {
    if (this.#entered || (this.#tail === '' && !chunk.includes(escape))) return this.#entered;
    const text = this.#tail + chunk.toString('latin1');
    this.#entered = [...text.matchAll(/\x1b\[\?([\d;]*)h/g)].some(([, modes]) =>
      alternateScreen.test(modes!),
    );
    const tail = /\x1b(?:\[(?:\?[\d;]*)?)?$/.exec(text.slice(-longestSequence));
    this.#tail = tail ? tail[0] : '';
    return this.#entered;
  }
}

const alternateScreen = /(?:^|;)(?:47|1047|1049)(?:;|$)/;
const escape = 0x1b;
const longestSequence = 64;
