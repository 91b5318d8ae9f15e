import { offsetInOriginal, withLineEnding, plainText } from '../files/line-endings.ts';
import type { TextFile } from '../files/text-file.ts';
import { EditorError, invalidParameter } from './editor-error.ts';
import { numberedLines } from './numbered-lines.ts';
import { strip } from './python-text.ts';

const contextLines = 4;

export interface TextEdit {
  /** The new text, with the line ends of the file and with plain ones. */
  original: string;
  text: string;
  /** What the agent is told when it is written, and the file then holds `text`. */
  message(text: string): string;
}

/** Puts `newText` in the place of the one occurrence of `oldText`. */
export function replaceText(path: string, file: TextFile, oldText: string, newText: string): TextEdit {
  let found = occurrences(file, oldText);
  if (found.starts.length === 0) {
    // Agents often add white space around what they quote.
    oldText = strip(oldText);
    newText = strip(newText);
    found = occurrences(file, oldText);
  }
  const start = found.starts[0];
  if (start === undefined)
    throw new EditorError(
      `No replacement was performed, old_str \`${oldText}\` did not appear verbatim in ${path}.`,
    );
  if (found.starts.length > 1)
    throw new EditorError(
      `No replacement was performed. Multiple occurrences of old_str \`${oldText}\` in lines [${found.lines().join(', ')}]. Please ensure it is unique.`,
    );
  const original = found.inOriginal
    ? file.original.slice(0, start) + newText + file.original.slice(start + oldText.length)
    : spliced(file, start, start + oldText.length, newText);
  const text = plainText(original);
  const line = found.lines()[0]!;
  const first = Math.max(0, line - contextLines);
  const last = line + contextLines + count(newText, '\n');
  return {
    original,
    text,
    message: (held) =>
      `The file ${path} has been edited. ${numberedLines(linesOf(held, first, last), `a snippet of ${path}`, first + 1)}Review the changes and make sure they are as expected. Edit the file again if necessary.`,
  };
}

/** Puts `newText` as lines of its own after the given line, 0 for the start of the file. */
export function insertLines(path: string, file: TextFile, afterLine: number, newText: string): TextEdit {
  const total = countLines(file.text);
  if (afterLine < 0 || afterLine > total)
    throw invalidParameter(
      'insert_line',
      afterLine,
      `It should be within the range of allowed values: [0, ${total}]`,
    );
  const at = offsetOfLine(file.text, afterLine);
  // A last line without a line end gets one, or the new text would become a part of it.
  const glue = at > 0 && file.text[at - 1] !== '\n' ? '\n' : '';
  const original = spliced(file, at, at, `${glue}${newText}\n`);
  const text = plainText(original);
  const added = count(newText, '\n') + 1;
  const first = Math.max(0, afterLine - contextLines);
  const last = Math.min(total + added, afterLine + contextLines + added);
  return {
    original,
    text,
    message: (held) =>
      `The file ${path} has been edited. ${numberedLines(linesOf(held, first, last), 'a snippet of the edited file', first + 1)}Review the changes and make sure they are as expected (correct indentation, no duplicate lines, etc). Edit the file again if necessary.`,
  };
}

/** A last line counts without its line end too. */
export function countLines(text: string): number {
  return count(text, '\n') + (text === '' || text.endsWith('\n') ? 0 : 1);
}

/** The lines after the first `from` up to line `to`, with their line ends. */
export function linesOf(text: string, from: number, to: number): string {
  return text.slice(offsetOfLine(text, from), offsetOfLine(text, to));
}

interface Occurrences {
  starts: number[];
  /** Whether the offsets are those of the text with its own line ends. */
  inOriginal: boolean;
  /** Line numbers, each once. */
  lines(): number[];
}

/** A search that spells out `\r` means the line ends of the file; all others see plain ones. */
function occurrences(file: TextFile, searched: string): Occurrences {
  const inOriginal = searched.includes('\r');
  const text = inOriginal ? file.original : file.text;
  const starts: number[] = [];
  for (let at = text.indexOf(searched); at !== -1; at = text.indexOf(searched, at + (searched.length || 1))) {
    // An empty search is found at the end again and again.
    if (at === starts.at(-1)) break;
    starts.push(at);
  }
  return { starts, inOriginal, lines: () => lineNumbers(text, starts) };
}

function lineNumbers(text: string, offsets: number[]): number[] {
  const lines = new Set<number>();
  let line = 1;
  let scanned = 0;
  for (const offset of offsets) {
    for (let at = text.indexOf('\n', scanned); at !== -1 && at < offset; at = text.indexOf('\n', at + 1))
      line++;
    scanned = offset;
    lines.add(line);
  }
  return [...lines];
}

function spliced(file: TextFile, start: number, end: number, newText: string): string {
  const { original, lineEnding } = file;
  const before = original.slice(0, offsetInOriginal(original, start));
  return before + withLineEnding(newText, lineEnding) + original.slice(offsetInOriginal(original, end));
}

function offsetOfLine(text: string, line: number): number {
  let offset = 0;
  for (let passed = 0; passed < line; passed++) {
    const end = text.indexOf('\n', offset);
    if (end === -1) return text.length;
    offset = end + 1;
  }
  return offset;
}

function count(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) found++;
  return found;
}
