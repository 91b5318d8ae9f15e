/** How many columns of a terminal a character takes: 0, 1 or 2. */
export function characterWidth(codePoint: number): 0 | 1 | 2 {
  if (codePoint < 0x300) return 1;
  const character = String.fromCodePoint(codePoint);
  if (zeroWidth.test(character)) return 0;
  return isWide(codePoint) || emoji.test(character) ? 2 : 1;
}

const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]$/u;
const emoji = /^\p{Emoji_Presentation}$/u;

/** The ranges of East Asian width W and F, without the emoji. */
const wideRanges: [from: number, to: number][] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1b000, 0x1b2ff],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

function isWide(codePoint: number): boolean {
  return wideRanges.some(([from, to]) => codePoint >= from && codePoint <= to);
}
