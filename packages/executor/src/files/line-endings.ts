export type LineEnding = '\n' | '\r\n' | '\r';

/** What an agent sees and searches in: every kind of line end as `\n`, and a stray byte as the sign for one. */
export function plainText(original: string): string {
  return (original.includes('\r') ? original.replace(/\r\n?/g, '\n') : original).toWellFormed();
}

/** The kind of line end that most lines have. */
export function usualLineEnding(text: string): LineEnding {
  if (!text.includes('\r')) return '\n';
  const counts = { '\n': 0, '\r\n': 0, '\r': 0 };
  for (const [ending] of text.matchAll(/\r\n|\r|\n/g)) counts[ending as LineEnding]++;
  if (counts['\r\n'] >= counts['\n'] && counts['\r\n'] >= counts['\r']) return '\r\n';
  return counts['\n'] >= counts['\r'] ? '\n' : '\r';
}

/** New text in the file's own kind of line end; a line end that is spelt out with `\r` stays as it is. */
export function withLineEnding(text: string, ending: LineEnding): string {
  return ending === '\n' ? text : text.replace(/(?<!\r)\n/g, ending);
}

/** Where an offset of the text with plain line ends lies in the text itself. */
export function offsetInOriginal(original: string, plainOffset: number): number {
  let dropped = 0;
  let at = original.indexOf('\r\n');
  while (at !== -1 && at - dropped < plainOffset) {
    dropped++;
    at = original.indexOf('\r\n', at + 2);
  }
  return plainOffset + dropped;
}
