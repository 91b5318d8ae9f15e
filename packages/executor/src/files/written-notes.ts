import type { WrittenText } from './text-file.ts';

const differs =
  'NOTE: The file does not hold exactly what you wrote: the user or the editor changed it on the way. ' +
  'View it before you edit it again.';

/** What an agent must know of a change beyond that it was made; nothing for most. */
export function notesOn({ otherText, notes = [] }: WrittenText): string[] {
  return [...(otherText === undefined ? [] : [differs]), ...notes.map((note) => `NOTE: ${note}`)];
}
