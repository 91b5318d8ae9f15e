/** Modes that a terminal has on by itself: line wrap and the cursor. */
const onByDefault = new Set(['7', '25']);

/** Follows which modes the other side has switched, so that a terminal can be given back as it was. */
export class TerminalModes {
  /** By number: true for on. Only those that differ from the beginning. */
  readonly #changed = new Map<string, boolean>();
  #hasKeypad = false;
  #rest = '';

  /** Bytes as latin1 text; a sequence may come in two pieces. */
  follow(data: string): void {
    const text = this.#rest + data;
    for (const [, numbers = '', letter, keypad] of text.matchAll(/\x1b(?:\[\?([\d;]+)([hl])|([=>]))/g)) {
      if (keypad !== undefined) this.#hasKeypad = keypad === '=';
      else for (const number of numbers.split(';')) this.#switch(number, letter === 'h');
    }
    this.#rest = /\x1b(?:\[(?:\?[\d;]{0,20})?)?$/.exec(text)?.[0] ?? '';
  }

  /** What puts all of them back. */
  restoring(): string {
    const modes = [...this.#changed].map(([number, isOn]) => `\x1b[?${number}${isOn ? 'l' : 'h'}`);
    this.#changed.clear();
    return `${modes.join('')}${this.#hasKeypad ? '\x1b>' : ''}\x1b[0m`;
  }

  #switch(number: string, isOn: boolean): void {
    if (isOn === onByDefault.has(number)) this.#changed.delete(number);
    else this.#changed.set(number, isOn);
  }
}

/** Questions that a terminal would answer as if somebody typed: what it is, its colours, where its cursor stands. */
export function withoutQueries(text: string): string {
  return text.replaceAll(
    /\x1b\[[>=?]?[\d;]*(?:[cnx]|\$p)|\x1b\[>[\d;]*q|\x1b\](?:4;\d+|1\d|52;[^;\x07\x1b]*);\?(?:\x07|\x1b\\)|\x1bP[$+]q[^\x1b]*\x1b\\|\x05/g,
    '',
  );
}
