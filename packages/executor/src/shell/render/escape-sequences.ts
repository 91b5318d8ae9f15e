/** What a terminal needs beyond a line of text to show the bytes. */
export class NeedsScreen extends Error {}

/**
 * Takes out the sequences that leave no trace in the text (colours, titles, modes). Those that stay inside of a
 * line, and those that clear the screen, stay in the text; all others throw `NeedsScreen`.
 */
export function withoutHarmlessSequences(text: string): string {
  const withoutColours = text.replace(/\x1b\[[\d;:]*m/g, '');
  if (!withoutColours.includes('\x1b')) return withoutColours;
  const reduced = withoutColours.replace(sequence, reduceSequence);
  if (/\x1b(?!\[[\d;]*[A-Za-z`])/.test(reduced)) throw new NeedsScreen();
  return reduced;
}

/**
 * Control sequences (`ESC [` prefix parameters intermediate final), strings that end at BEL or ESC \ (titles,
 * links, device data), and short ones. A sequence that the end of the text cuts off counts as whole.
 */
const sequence = new RegExp(
  [
    String.raw`\x1b\[([<-?]?)([\d;:]*)([ -/]*)([@-~]|$)`,
    String.raw`\x1b[\]k][^\x07\x18\x1a\x1b]*\x07?`,
    String.raw`\x1b[PX^_][^\x18\x1a\x1b]*`,
    String.raw`\x1b(?!\[)([ -/]*(?:[0-~]|$))`,
  ].join('|'),
  'g',
);

function reduceSequence(
  whole: string,
  prefix: string | undefined,
  parameters: string,
  intermediate: string,
  final: string,
  short: string | undefined,
): string {
  if (short !== undefined) return reduceShort(short);
  if (prefix === undefined || final === '') return '';
  if (prefix !== '' || intermediate !== '') return reducePrivate(prefix, parameters, final);
  if (kept.includes(final)) return whole;
  // Insert mode and line feed mode.
  if (positioned.includes(final) || (final === 'h' && /^(?:4|20)$/.test(parameters))) throw new NeedsScreen();
  return '';
}

function reducePrivate(prefix: string, parameters: string, final: string): string {
  const isMode = prefix === '?' && (final === 'h' || final === 'l');
  if (isMode && needsScreenModes.test(parameters)) throw new NeedsScreen();
  return '';
}

/** Erasing, and moves inside of a line; home and erasing the display for `clear`. */
const kept = 'KJXCDGHf`a';

/** Moves between lines, insertion, deletion, scrolling, tabulators, repetition, saving the cursor. */
const positioned = 'ABEFILMPSTZ@bdegrsu';

/** Origin, reverse wrap-around, the alternate screen, saving the cursor. */
const needsScreenModes = /(?:^|;)(?:6|45|47|1047|1048|1049)(?:;|$)/;

function reduceShort(short: string): string {
  if (short === 'c') return '\x1b[H\x1b[2J';
  // Saving the cursor, moving between lines, tabulators, alignment test, line drawing characters.
  if (/^(?:[78DEHM]|#8|[(-+]0)$/.test(short)) throw new NeedsScreen();
  return '';
}
