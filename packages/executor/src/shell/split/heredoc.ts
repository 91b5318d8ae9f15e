import { endOfLine } from './characters.ts';
import { UnparsableText } from './unparsable-text.ts';

/** A here-document whose operator was read and whose lines come after the next newline. */
export interface Heredoc {
  delimiter: string;
  /** `<<-`: tabs before the lines do not count. */
  stripsTabs: boolean;
  /** A quoted delimiter: a backslash at the end of a line is just a backslash. */
  isLiteral: boolean;
}

export function heredocOf(operator: string, word: string): Heredoc {
  return {
    delimiter: withoutQuotes(word),
    stripsTabs: operator === '<<-',
    isLiteral: /[\\'"]/.test(word),
  };
}

/** The index behind the here-document's last line, its newline excluded. */
export function endOfHeredoc(text: string, start: number, heredoc: Heredoc, inSubstitution: boolean): number {
  let position = start;
  while (position < text.length) {
    const line = readLine(text, position, heredoc);
    if (line.content === heredoc.delimiter) return line.end;
    // Bash lets the substitution's parenthesis stand right behind the delimiter.
    if (inSubstitution && line.content.startsWith(heredoc.delimiter) && line.content.includes(')')) {
      return line.start + heredoc.delimiter.length;
    }
    position = line.end + 1;
  }
  throw new UnparsableText();
}

interface Line {
  start: number;
  end: number;
  content: string;
}

function readLine(text: string, lineStart: number, heredoc: Heredoc): Line {
  let start = lineStart;
  if (heredoc.stripsTabs) while (text[start] === '\t') start += 1;
  let end = endOfLine(text, start);
  const parts = [];
  let partStart = start;
  while (!heredoc.isLiteral && end < text.length && endsWithBackslash(text, partStart, end)) {
    parts.push(text.slice(partStart, end - 1));
    partStart = end + 1;
    end = endOfLine(text, partStart);
  }
  parts.push(text.slice(partStart, end));
  return { start, end, content: parts.join('') };
}

/** An odd number of them: in pairs they are escaped themselves. */
function endsWithBackslash(text: string, start: number, end: number): boolean {
  let count = 0;
  while (end - count > start && text[end - count - 1] === '\\') count += 1;
  return count % 2 === 1;
}

function withoutQuotes(word: string): string {
  return word.replace(
    /\\(.)|\$?'([^']*)'|\$?"((?:[^"\\]|\\[^])*)"/gs,
    (_whole, escaped: string | undefined, single: string | undefined, double: string | undefined) =>
      escaped ?? single ?? double?.replace(/\\([$`"\\])/g, '$1') ?? '',
  );
}
