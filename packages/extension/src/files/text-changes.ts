import { changedLines } from '@fairlead/executor';

/** Put `text` in the place of what stands from `start` up to `end`. */
export interface TextChange {
  start: number;
  end: number;
  text: string;
}

/**
 * What turns one text into the other, in order, as small as can be found quickly: so that cursors, folds and marks
 * beside it stay where they are. Never parts a line end or a character.
 */
export function textChanges(before: string, after: string): TextChange[] {
  if (before === after) return [];
  const { oldLines, newLines, skippedLines, changes } = changedLines(before, after);
  const oldOffsets = offsets(oldLines, startOfLine(before, skippedLines));
  const newOffsets = offsets(newLines, startOfLine(after, skippedLines));
  return changes.map(({ oldStart, oldEnd, newStart, newEnd }) => {
    const [start, end] = [oldOffsets[oldStart]!, oldOffsets[oldEnd]!];
    const [from, to] = [newOffsets[newStart]!, newOffsets[newEnd]!];
    // The last line has no line end of its own, so a change of it takes the one before it.
    const lineEnd = before[start - 2] === '\r' ? 2 : 1;
    const early = end > before.length && start > 0 ? lineEnd : 0;
    return trimmed(before, {
      start: start - early,
      end: Math.min(end, before.length),
      text: after.slice(from - early, to),
    });
  });
}

/** Where each line starts, and where one after the last would. */
function offsets(lines: string[], start: number): number[] {
  const found = [start];
  for (const line of lines) found.push(found.at(-1)! + line.length + 1);
  return found;
}

function startOfLine(text: string, line: number): number {
  let offset = 0;
  for (let passed = 0; passed < line; passed++) offset = text.indexOf('\n', offset) + 1;
  return offset;
}

function trimmed(before: string, { start, end, text }: TextChange): TextChange {
  const most = Math.min(end - start, text.length);
  let head = 0;
  while (head < most && before[start + head] === text[head]) head++;
  while (head > 0 && isInsideCharacter(before, start + head)) head--;
  let tail = 0;
  while (tail < most - head && before[end - 1 - tail] === text[text.length - 1 - tail]) tail++;
  while (tail > 0 && (isInsideCharacter(before, end - tail) || isInsideCharacter(text, text.length - tail)))
    tail--;
  return { start: start + head, end: end - tail, text: text.slice(head, text.length - tail) };
}

function isInsideCharacter(text: string, offset: number): boolean {
  const [left = '', right = ''] = [text[offset - 1], text[offset]];
  return (left === '\r' && right === '\n') || (/[\ud800-\udbff]/.test(left) && /[\udc00-\udfff]/.test(right));
}
