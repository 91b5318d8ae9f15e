import { stripVTControlCharacters } from 'node:util';

/** Rows under their titles, each column as wide as its widest text. */
export function table(titles: string[], rows: string[][]): string {
  const all = [titles, ...rows];
  const widths = titles.map((_title, column) => Math.max(...all.map((row) => widthOf(row[column] ?? ''))));
  return all
    .map((row) =>
      row
        .map((text, column) => padded(text, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Names and values, a line each. */
export function facts(pairs: [name: string, value: string][]): string {
  const width = Math.max(...pairs.map(([name]) => widthOf(name)));
  return pairs.map(([name, value]) => `${padded(name, width)}  ${value}`.trimEnd()).join('\n');
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

function widthOf(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}
