import { afterLastClear } from './clear-screen.ts';
import { NeedsScreen, withoutHarmlessSequences } from './escape-sequences.ts';
import { LineCells } from './line-cells.ts';
import { plainText } from './plain-text.ts';

/**
 * The text a person would see of simple terminal output, blanks exactly as printed. Undefined for output that
 * moves between lines or uses the alternate screen: that needs a `Screen`. Knows no right margin.
 */
export function renderText(bytes: Buffer): string | undefined {
  const plain = plainText(bytes);
  if (plain !== undefined) return plain;
  const text = bytes.toString('utf8').replaceAll('\r\n', '\n');
  if (eightBitControl.test(text)) return undefined;
  try {
    const reduced = afterLastClear(withoutHarmlessSequences(text));
    const visible = reduced.replace(invisible, '');
    if (!moves.test(visible)) return visible;
    return visible.split('\n').map(renderLine).join('\n');
  } catch (error) {
    if (error instanceof NeedsScreen) return undefined;
    throw error;
  }
}

const eightBitControl = /[\x80-\x9f]/;
const moves = /[\b\v\f\r\x1b]/;
const invisible = /[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f]/g;

function renderLine(line: string): string {
  const plain = withoutFinalReturns(line);
  if (!moves.test(plain)) return plain;
  // Without a move there is nothing behind the cursor to erase.
  const appended = plain.replace(/\x1b\[0?[KJ]/g, '');
  if (!moves.test(appended)) return appended;
  const lines = [];
  let cells = new LineCells();
  for (const [part, parameter, final] of plain.matchAll(
    /\x1b\[([\d;]*)([A-Za-z`])|[^]?[^\b\t\v\f\r\x1b]*/g,
  )) {
    if (final !== undefined) {
      applySequence(cells, final, Number.parseInt(parameter!, 10) || 0);
      continue;
    }
    if (part[0] === '\v' || part[0] === '\f') {
      lines.push(cells.toString());
      const { column } = cells;
      cells = new LineCells();
      cells.moveTo(column);
    }
    writePart(cells, part);
  }
  lines.push(cells.toString());
  return lines.join('\n');
}

function withoutFinalReturns(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end -= 1;
  return line.slice(0, end);
}

/** A control character, if the part starts with one, and the text behind it. */
function writePart(cells: LineCells, part: string): void {
  const first = part[0];
  if (first === '\r') cells.moveTo(0);
  else if (first === '\b') cells.moveBack(1);
  else if (first === '\t') cells.tab();
  else if (first !== '\v' && first !== '\f') return cells.write(part);
  cells.write(part.slice(1));
}

function applySequence(cells: LineCells, final: string, parameter: number): void {
  const count = Math.max(1, parameter);
  switch (final) {
    case 'K':
      if (parameter === 0) return cells.eraseToEnd();
      if (parameter === 1) return cells.erase(0, cells.column + 1);
      return parameter === 2 ? cells.eraseAll() : undefined;
    case 'J':
      return cells.eraseToEnd();
    case 'X':
      return cells.erase(cells.column, count);
    case 'C':
    case 'a':
      return cells.moveTo(cells.column + count);
    case 'D':
      return cells.moveBack(count);
    default:
      return cells.moveTo(count - 1);
  }
}
