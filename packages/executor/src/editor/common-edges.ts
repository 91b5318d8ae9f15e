/** The lines of two texts without the lines that both start with and both end with. */
export function commonEdges(oldText: string, newText: string) {
  const shorter = Math.min(oldText.length, newText.length);
  const same = commonLength(shorter, (from, to) => oldText.slice(from, to) === newText.slice(from, to));
  const start = oldText.lastIndexOf('\n', same - 1) + 1;
  const sameEnd = commonLength(
    shorter - start,
    (from, to) =>
      oldText.slice(oldText.length - to, oldText.length - from) ===
      newText.slice(newText.length - to, newText.length - from),
  );
  // Whole lines only: what comes after the first line end in it.
  const lineEnd = oldText.indexOf('\n', oldText.length - sameEnd);
  const end = lineEnd === -1 ? 0 : oldText.length - lineEnd - 1;
  return {
    oldLines: linesBetween(oldText, start, end),
    newLines: linesBetween(newText, start, end),
    skippedLines: oldText.slice(0, start).split('\n').length - 1,
  };
}

function linesBetween(text: string, start: number, end: number): string[] {
  const hasEnd = end > 0;
  const middle = text.slice(start, text.length - end);
  if (!hasEnd) return middle.split('\n');
  return middle === '' ? [] : middle.slice(0, -1).split('\n');
}

/** How far `isSame` holds from 0 on, by ever smaller steps: comparing slices is far faster than characters. */
function commonLength(limit: number, isSame: (from: number, to: number) => boolean): number {
  let length = 0;
  for (let step = 65_536; step >= 1; step = Math.floor(step / 16))
    while (length + step <= limit && isSame(length, length + step)) length += step;
  return length;
}
