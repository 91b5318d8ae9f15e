import { commonEdges } from './common-edges.ts';
import { stripEnd } from './python-text.ts';
import { type Change, changesBetween } from './sequence-matcher.ts';

/** Up to this many characters the change is found exactly as the reference finds it. */
const exactCharacters = 524_288;

/** The change between two texts as a unified diff without context; empty when there is none. */
export function unifiedDiff(oldText: string, newText: string, path: string): string {
  if (oldText === newText) return '';
  const { oldLines, newLines, changes, skippedLines } = changedLines(oldText, newText);
  const diff = [`--- ${path}`, `+++ ${path}`];
  for (const { oldStart, oldEnd, newStart, newEnd } of changes) {
    diff.push(`@@ -${range(skippedLines, oldStart, oldEnd)} +${range(skippedLines, newStart, newEnd)} @@`);
    for (let index = oldStart; index < oldEnd; index++) diff.push(`-${oldLines[index]}`);
    for (let index = newStart; index < newEnd; index++) diff.push(`+${newLines[index]}`);
  }
  return diff.map(stripEnd).join('\n');
}

/** The lines that were looked at, without the first `skippedLines` of both texts, and what differs between them. */
export interface ChangedLines {
  oldLines: string[];
  newLines: string[];
  changes: Change[];
  skippedLines: number;
}

export function changedLines(oldText: string, newText: string): ChangedLines {
  return exactChanges(oldText, newText) ?? changesInside(oldText, newText);
}

function exactChanges(oldText: string, newText: string): ChangedLines | undefined {
  if (oldText.length + newText.length > exactCharacters) return undefined;
  const oldLines = oldText.split('\n');
  const newLines = newText.split('\n');
  const changes = changesBetween(oldLines, newLines);
  return changes && { oldLines, newLines, changes, skippedLines: 0 };
}

/**
 * For long texts and very repetitive ones: looks only between their common start and end, and takes what is still
 * too much for a search as one change. As true as the exact one; a line that repeats may be told at another place.
 */
function changesInside(oldText: string, newText: string): ChangedLines {
  const { oldLines, newLines, skippedLines } = commonEdges(oldText, newText);
  const all = { oldStart: 0, oldEnd: oldLines.length, newStart: 0, newEnd: newLines.length };
  return { oldLines, newLines, skippedLines, changes: changesBetween(oldLines, newLines) ?? [all] };
}

function range(skippedLines: number, start: number, end: number): string {
  const first = skippedLines + start;
  if (end - start === 1) return `${first + 1}`;
  // An empty range is told by the line before it.
  return end === start ? `${first},0` : `${first + 1},${end - start}`;
}
