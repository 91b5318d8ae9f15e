import { endOfLine, endOfOrdinary, isBlankOrNewline } from './characters.ts';
import { operatorAt } from './operators.ts';
import type { Token } from './token.ts';
import { UnparsableText } from './unparsable-text.ts';

/** What is open around the current character. A stack of these stands in for recursion. */
interface Mode {
  kind: 'code' | 'word' | 'double' | 'brace' | 'bracket' | 'paren' | 'array' | 'condition' | 'arithmetic';
  start: number;
}

/** Reads words with everything that can be nested in them, and the conditions and arithmetic commands. */
export class WordScanner {
  readonly #text: string;
  readonly #modes: Mode[] = [{ kind: 'code', start: 0 }];
  /** Where the parentheses inside of an arithmetic attempt close, so that failed attempts stay linear. */
  readonly #closingParens = new Map<number, number>();
  /** Where the last backslash-newline inside of a word was. */
  #lastContinuation = -1;
  /** Where the word started that was started last. */
  #lastStart = 0;
  #position = 0;
  #allowsAssignment = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether the scanner stopped in the middle of a word, at a substitution or an opening. */
  get isInside(): boolean {
    return this.#mode.kind !== 'code';
  }

  start(position: number, allowsAssignment: boolean): Token {
    this.#modes.push({ kind: 'word', start: position });
    this.#lastStart = position;
    return this.continue(position, allowsAssignment);
  }

  closeSubstitution(): void {
    this.#modes.pop();
  }

  openCondition(position: number): void {
    this.#modes.push({ kind: 'condition', start: position });
  }

  /** At a `(` behind another one: whether the two may be an arithmetic command. */
  openArithmetic(start: number): boolean {
    const closing = this.#closingParens.get(start);
    if (closing !== undefined && this.#text[closing + 1] !== ')') return false;
    this.#modes.push({ kind: 'arithmetic', start });
    return true;
  }

  /** Goes on in whatever is open until the token ends or a command substitution starts. */
  continue(position: number, allowsAssignment: boolean): Token {
    this.#position = position;
    this.#allowsAssignment = allowsAssignment;
    for (;;) {
      this.#position = endOfOrdinary(this.#text, this.#position);
      if (this.#position >= this.#text.length && this.#mode.kind !== 'word') throw new UnparsableText();
      const token = this.#mode.kind === 'double' ? this.#inDoubleQuotes() : this.#atSpecial();
      if (token) return token;
    }
  }

  get #mode(): Mode {
    return this.#modes.at(-1)!;
  }

  #inDoubleQuotes(): Token | undefined {
    const character = this.#text[this.#position];
    if (character === '"') {
      this.#modes.pop();
      this.#position += 1;
      return;
    }
    if (character === '\\' || character === '`' || character === '$') return this.#atQuoteOrDollar(character);
    this.#position += 1;
  }

  #atSpecial(): Token | undefined {
    const character = this.#text[this.#position];
    if (character === '\\' || character === '`' || character === '$') return this.#atQuoteOrDollar(character);
    if (character === "'") return this.#skipTo("'", this.#position + 1);
    if (character === '"') return this.#open('double', 1);
    switch (this.#mode.kind) {
      case 'word':
        return this.#inWord(character);
      case 'brace':
        return character === '}' ? this.#close() : this.#advance();
      case 'bracket':
        if (character === '[') return this.#open('bracket', 1);
        return character === ']' ? this.#close() : this.#advance();
      case 'paren':
      case 'arithmetic':
        return this.#inParens(character);
      case 'array':
        return this.#inArray(character);
      default:
        return this.#inCondition(character);
    }
  }

  #atQuoteOrDollar(character: '\\' | '`' | '$'): Token | undefined {
    const start = this.#position;
    if (character === '\\') return this.#skipEscaped();
    if (character === '`') return this.#skipTo('`', start + 1, true);
    const inDouble = this.#mode.kind === 'double';
    switch (this.#text[start + 1]) {
      case '(':
        // Bash takes `$((` as balanced parentheses, whether it is arithmetic or a subshell.
        if (this.#text[start + 2] === '(') return this.#open('paren', 2);
        return this.#openSubstitution();
      case '{':
        return this.#open('brace', 2);
      case '[':
        return this.#open('bracket', 2);
      case "'":
        return inDouble ? this.#advance() : this.#skipTo("'", start + 2, true);
      case '$':
        return this.#advance(2);
      default:
        return this.#advance();
    }
  }

  #inWord(character: string | undefined): Token | undefined {
    const { start } = this.#mode;
    const position = this.#position;
    const text = this.#text;
    if (character === '[' && this.#allowsAssignment && /^[A-Za-z_]\w*$/.test(text.slice(start, position))) {
      return this.#open('bracket', 1);
    }
    if ((character === '<' || character === '>') && text[position + 1] === '(') {
      return this.#openSubstitution();
    }
    if (character === '(' && position > start) {
      const before = text[position - 1]!;
      if (before === '=' && this.#allowsAssignment && isArrayName(text.slice(start, position))) {
        return this.#open('array', 1);
      }
      if ('?*+@!'.includes(before) && text[position + 1] !== ')') return this.#open('paren', 1);
    }
    if (character !== undefined && !'()<>;&| \t\n'.includes(character)) return this.#advance();
    this.#modes.pop();
    const word = this.#wordFrom(start);
    const isTarget = /^[<>]&$/.test(text.slice(Math.max(0, start - 2), start));
    if ((character === '<' || character === '>') && !isTarget && isDescriptor(word)) {
      const redirect = operatorAt(text, position)!;
      this.#position = redirect.end;
      return { kind: redirect.kind, text: redirect.text, start, end: redirect.end };
    }
    return { kind: 'word', text: word, start, end: Math.min(position, text.length) };
  }

  #wordFrom(start: number): string {
    const word = this.#text.slice(start, this.#position);
    // Nested words can be as long as the text each, and nobody compares those.
    if (this.#lastContinuation < start || word.length > longestCompared) return word;
    return word.replaceAll('\\\n', '');
  }

  #inParens(character: string | undefined): Token | undefined {
    if (character === '(') return this.#open('paren', 1);
    if (character !== ')') return this.#advance();
    const { kind, start } = this.#mode;
    this.#closingParens.set(start, this.#position);
    this.#close();
    if (kind === 'paren') return;
    if (this.#text[this.#position] !== ')') {
      this.#position = start;
      return { kind: 'subshell', start, end: start };
    }
    this.#position += 1;
    return { kind: 'arithmetic', start, end: this.#position };
  }

  #inArray(character: string | undefined): Token | undefined {
    const { start } = this.#mode;
    const before = this.#text[this.#position - 1];
    const startsWord = this.#position === start + 1 || isBlankOrNewline(before);
    if (character === ')') return this.#close();
    if (character === '#' && startsWord) return this.#skipComment();
    if (character === '[' && startsWord) return this.#open('bracket', 1);
    if (character === '<' || character === '>') {
      if (this.#text[this.#position + 1] === '(') return this.#openSubstitution();
      throw new UnparsableText();
    }
    if (character === '(' && '?*+@!'.includes(before!)) return this.#open('paren', 1);
    if (character !== undefined && '(;&|'.includes(character)) throw new UnparsableText();
    this.#advance();
  }

  #inCondition(character: string | undefined): Token | undefined {
    const before = this.#text[this.#position - 1];
    const startsWord = isBlankOrNewline(before);
    if (character === '#' && startsWord) return this.#skipComment();
    if ((character === '<' || character === '>') && this.#text[this.#position + 1] === '(') {
      return this.#openSubstitution();
    }
    if (
      character === ']' &&
      (startsWord || before === ')') &&
      /^\]\](?=[\s()<>;&|]|$)/.test(this.#ahead(3))
    ) {
      const { start } = this.#mode;
      this.#modes.pop();
      this.#position += 2;
      return { kind: 'condition', start, end: this.#position };
    }
    this.#advance();
  }

  #skipComment(): undefined {
    this.#position = endOfLine(this.#text, this.#position);
  }

  #ahead(length: number): string {
    return this.#text.slice(this.#position, this.#position + length);
  }

  #advance(count = 1): undefined {
    this.#position += count;
  }

  #open(kind: Mode['kind'], length: number): undefined {
    // A parenthesis is known by its own place; what opens after a `$` never needs to be found again.
    this.#modes.push({ kind, start: this.#position + length - 1 });
    this.#position += length;
  }

  #close(): undefined {
    this.#modes.pop();
    this.#position += 1;
  }

  #skipEscaped(): undefined {
    if (this.#text[this.#position + 1] === '\n') this.#lastContinuation = this.#position;
    this.#position += 2;
  }

  #openSubstitution(): Token {
    this.#modes.push({ kind: 'code', start: this.#position });
    this.#position += 2;
    return { kind: 'substitution', start: this.#lastStart, end: this.#position };
  }

  #skipTo(quote: string, from: number, hasEscapes = false): undefined {
    const text = this.#text;
    let end = text.indexOf(quote, from);
    while (hasEscapes && end !== -1 && isEscaped(text, from, end)) end = text.indexOf(quote, end + 1);
    if (end === -1) throw new UnparsableText();
    this.#position = end + 1;
  }
}

const longestCompared = 1000;

/** The part before a redirection: `2>`, `{fd}>`. */
function isDescriptor(word: string): boolean {
  return word.length <= longestCompared && /^(?:\d+|\{[A-Za-z_]\w*\})$/.test(word);
}

function isArrayName(text: string): boolean {
  return text.length <= longestCompared && /^[A-Za-z_]\w*(?:\[.*\])?\+?=$/s.test(text);
}

function isEscaped(text: string, from: number, position: number): boolean {
  let count = 0;
  while (position - count > from && text[position - count - 1] === '\\') count += 1;
  return count % 2 === 1;
}
