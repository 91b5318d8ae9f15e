/** A whole escape sequence: with a final letter, a string up to its terminator, or two characters. */
const sequences =
  /\x1b(?:\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|[\x20-\x2f]+[\x30-\x7e]|[\x30-\x4f\x51-\x57\x59\x5a\x5c\x60-\x7e])/g;

/** One that is longer is no sequence. */
const longestSequence = 4096;

/**
 * Terminal output for a file or a pipe, piece by piece: colours and other sequences are gone, and lines end as they do
 * in files.
 */
export class PlainOutput {
  #held = '';

  push(data: string): string {
    const text = (this.#held + data).replaceAll(sequences, '');
    const escape = text.indexOf('\x1b');
    // What follows may be the rest of a sequence, or of a line end.
    const isOpen = escape >= 0 && text.length - escape < longestSequence;
    const whole = isOpen ? text.slice(0, escape) : text;
    const end = whole.endsWith('\r') ? whole.length - 1 : whole.length;
    this.#held = text.slice(end);
    return withFileLines(text.slice(0, end));
  }

  end(): string {
    const rest = this.#held;
    this.#held = '';
    return withFileLines(rest);
  }
}

function withFileLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\x1b', '');
}
