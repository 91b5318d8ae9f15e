import { invalidParameter } from './editor-error.ts';
import { numberedLines } from './numbered-lines.ts';
import { repr } from './python-text.ts';
import { countLines, linesOf } from './text-edits.ts';

/** A file's text with line numbers, or the lines of `viewRange` only. */
export function viewText(path: string, text: string, viewRange: unknown[] | null): string {
  if (viewRange === null || viewRange.length === 0) return numberedLines(text, path);
  const total = countLines(text);
  const [first, given] = twoIntegers(viewRange);
  const refuse = (hint: string) => invalidParameter('view_range', repr(viewRange), hint);
  if (first < 1 || first > total)
    throw refuse(
      `Its first element \`${first}\` should be within the range of lines of the file: [1, ${total}].`,
    );
  const last = given === -1 || given > total ? total : given;
  if (last < first)
    throw refuse(
      `Its second element \`${last}\` should be greater than or equal to the first element \`${first}\`.`,
    );
  const shown = numberedLines(linesOf(text, first - 1, last).replace(/\n$/, ''), path, first);
  if (given <= total) return shown;
  return `NOTE: We only show up to ${total} since there're only ${total} lines in this file.\n${shown}`;
}

function twoIntegers(viewRange: unknown[]): [number, number] {
  const [first, last] = viewRange;
  if (viewRange.length === 2 && Number.isInteger(first) && Number.isInteger(last))
    return [first as number, last as number];
  throw invalidParameter('view_range', repr(viewRange), 'It should be a list of two integers.');
}
