import { characterWidth } from './character-width.ts';
import { NeedsScreen } from './escape-sequences.ts';

/** One line of a terminal without a right margin, where later text can overwrite earlier text. */
export class LineCells {
  /** By column. Undefined is a place never written, '' the rest of a wide character or a tab before it. */
  readonly #cells: (string | undefined)[] = [];
  #column = 0;

  get column(): number {
    return this.#column;
  }

  moveTo(column: number): void {
    // Programs go far to the right to find the margin, which is not known here.
    if (column > farthestMove) throw new NeedsScreen();
    this.#column = Math.max(0, column);
  }

  moveBack(count: number): void {
    this.#column = Math.max(0, this.#column - count);
  }

  write(text: string): void {
    for (const character of text) {
      const width = characterWidth(character.codePointAt(0)!);
      if (width === 0 && this.#column > 0) this.#join(character);
      else this.#put(character, width || 1);
    }
  }

  /** A tab moves over what is written, and is kept as a character where nothing is. */
  tab(): void {
    const width = 8 - (this.#column % 8);
    if (this.#column >= this.#cells.length) this.#put('\t', width);
    else this.#column += width;
  }

  eraseToEnd(): void {
    if (this.#column >= this.#cells.length) return;
    this.#breakUp(this.#column);
    this.#cells.length = this.#column;
  }

  eraseAll(): void {
    this.#cells.length = 0;
  }

  erase(from: number, count: number): void {
    if (count > farthestMove) throw new NeedsScreen();
    const end = Math.min(from + count, this.#cells.length);
    for (let column = from; column < end; column += 1) {
      this.#breakUp(column);
      this.#cells[column] = undefined;
    }
  }

  toString(): string {
    let end = this.#cells.length;
    while (end > 0 && this.#cells[end - 1] === undefined) end -= 1;
    return this.#cells
      .slice(0, end)
      .map((cell) => cell ?? ' ')
      .join('');
  }

  #put(character: string, width: number): void {
    while (this.#cells.length < this.#column) this.#cells.push(undefined);
    for (let offset = 0; offset < width; offset += 1) {
      if (this.#column + offset < this.#cells.length) this.#breakUp(this.#column + offset);
      this.#cells[this.#column + offset] = offset === 0 ? character : '';
    }
    this.#column += width;
  }

  #join(character: string): void {
    let column = this.#column - 1;
    while (column > 0 && this.#cells[column] === '') column -= 1;
    this.#cells[column] = (this.#cells[column] ?? ' ') + character;
  }

  /** What is left of a wide character or a tab when one of its columns is overwritten are blanks. */
  #breakUp(column: number): void {
    const isPart = this.#cells[column] === '';
    if (!isPart && this.#cells[column + 1] !== '') return;
    let first = column;
    while (this.#cells[first] === '') first -= 1;
    const blank = this.#cells[first] === '\t' ? undefined : ' ';
    this.#cells[first] = blank;
    for (let next = first + 1; this.#cells[next] === ''; next += 1) this.#cells[next] = blank;
  }
}

const farthestMove = 500;
