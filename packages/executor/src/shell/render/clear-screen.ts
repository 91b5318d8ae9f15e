import { NeedsScreen } from './escape-sequences.ts';

/**
 * The text behind the last place where the screen was cleared: the cursor home and the display erased, in any
 * of the usual orders. Throws `NeedsScreen` for a home or an erasing that is not part of that.
 */
export function afterLastClear(text: string): string {
  if (!text.includes('\x1b')) return text;
  let start = 0;
  for (const run of text.matchAll(/(?:\x1b\[[\d;]*[HfJ])+/g)) {
    const parts = run[0].split('\x1b[').slice(1);
    if (parts.every((part) => part === 'J' || part === '0J')) continue;
    if (!isClear(parts)) throw new NeedsScreen();
    start = run.index + run[0].length;
  }
  return text.slice(start);
}

function isClear(parts: string[]): boolean {
  const home = parts.findIndex((part) => /^(?:[01]?(?:;[01]?)?)[Hf]$/.test(part));
  if (home === -1 || !parts.every((part) => isHomeOrErase(part))) return false;
  const erasesAll = parts.includes('2J');
  const erasesBelow = parts.some((part, index) => index > home && (part === 'J' || part === '0J'));
  return erasesAll || erasesBelow;
}

function isHomeOrErase(part: string): boolean {
  return /^(?:[01]?(?:;[01]?)?[Hf]|[023]?J)$/.test(part);
}
