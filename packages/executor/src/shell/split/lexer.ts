import { endOfLine, endOfOrdinary, isBlank, isBlankOrNewline } from './characters.ts';
import { endOfHeredoc, heredocOf, type Heredoc } from './heredoc.ts';
import { operatorAt } from './operators.ts';
import type { Token } from './token.ts';
import { WordScanner } from './word-scanner.ts';

/** Cuts a bash text into tokens. The grammar drives it, since some tokens depend on where they stand. */
export class Lexer {
  readonly #text: string;
  readonly #words: WordScanner;
  /** Here-documents that wait for their newline, by depth of substitution. */
  readonly #heredocs: Heredoc[][] = [[]];
  #position = 0;

  constructor(text: string) {
    this.#text = text;
    this.#words = new WordScanner(text);
  }

  next(allowsAssignment: boolean): Token {
    const token = this.#words.isInside
      ? this.#words.continue(this.#position, allowsAssignment)
      : this.#startToken(allowsAssignment);
    this.#position = token.end;
    if (token.kind === 'substitution') this.#heredocs.push([]);
    return token;
  }

  /** Whether the next character that is not a blank is this one. */
  isFollowedBy(character: string): boolean {
    let position = this.#position;
    while (isBlank(this.#text[position])) position += 1;
    return this.#text[position] === character;
  }

  closeSubstitution(): void {
    this.#words.closeSubstitution();
    // Those without a newline before the parenthesis are read after the next newline outside.
    const waiting = this.#heredocs.pop()!;
    for (const heredoc of waiting) this.#heredocs.at(-1)!.push(heredoc);
  }

  openCondition(): void {
    this.#words.openCondition(this.#position);
  }

  /** Behind a `(` where a command may start: whether a second one makes an arithmetic command worth a try. */
  openArithmetic(): boolean {
    if (this.#text[this.#position] !== '(' || !this.#words.openArithmetic(this.#position)) return false;
    this.#position += 1;
    return true;
  }

  addHeredoc(operator: string, word: string): void {
    this.#heredocs.at(-1)!.push(heredocOf(operator, word));
  }

  get hasOpenHeredoc(): boolean {
    return this.#heredocs[0]!.length > 0;
  }

  #startToken(allowsAssignment: boolean): Token {
    const start = this.#skipBlanksAndComment();
    const character = this.#text[start];
    if (character === undefined) return { kind: 'end', start, end: start };
    if (character === '\n') return this.#newline(start);
    const end = endOfOrdinary(this.#text, start);
    // Most words are plain. The others need the scanner.
    if (end > start && isBlankOrNewline(this.#text[end])) {
      return { kind: 'word', text: this.#text.slice(start, end), start, end };
    }
    const operator = end === start ? operatorAt(this.#text, start) : undefined;
    if (operator) return { kind: operator.kind, text: operator.text, start, end: operator.end };
    return this.#words.start(start, allowsAssignment);
  }

  #skipBlanksAndComment(): number {
    const text = this.#text;
    let position = this.#position;
    for (;;) {
      const character = text[position];
      if (isBlank(character)) position += 1;
      else if (character === '\\' && text[position + 1] === '\n') position += 2;
      else break;
    }
    return text[position] === '#' ? endOfLine(text, position) : position;
  }

  #newline(start: number): Token {
    const waiting = this.#heredocs.at(-1)!;
    if (waiting.length === 0) return { kind: 'newline', start, end: start + 1, hasHeredoc: false };
    let end = start;
    for (const heredoc of waiting.splice(0)) {
      end = endOfHeredoc(this.#text, end + 1, heredoc, this.#heredocs.length > 1);
    }
    return { kind: 'newline', start, end, hasHeredoc: true };
  }
}
