export function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

export function isBlankOrNewline(character: string | undefined): boolean {
  return isBlank(character) || character === '\n';
}

export function endOfLine(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  return newline === -1 ? text.length : newline;
}

/** The next character that can mean something to the shell. */
export function endOfOrdinary(text: string, from: number): number {
  let position = from;
  while (isOrdinary(text.charCodeAt(position))) position += 1;
  return position;
}

const special = new Set([...'\\`$\'"()<>;&|[]{}# \t\n'].map((character) => character.charCodeAt(0)));
const ordinary = Uint8Array.from({ length: 128 }, (_, code) => (special.has(code) ? 0 : 1));

/** False behind the end, where the code is NaN. */
function isOrdinary(code: number): boolean {
  return code > 127 || ordinary[code] === 1;
}
