import type { LegacyEncoding } from './encoding-names.ts';

export interface DoubleByteEncoding {
  name: LegacyEncoding;
  isLead(byte: number): boolean;
  isTrail(byte: number): boolean;
  /** High bytes that are a character alone. */
  isSingle?(byte: number): boolean;
  /** Characters of everyday text: the first level of the national standard, its syllables and punctuation. */
  isCommon(lead: number, trail: number): boolean;
  /** Characters that set this encoding apart from others with the same byte ranges. */
  isTelling?(lead: number): boolean;
}

export interface Tally {
  characters: number;
  common: number;
  telling: number;
}

export const doubleByteEncodings: DoubleByteEncoding[] = [
  {
    name: 'gb18030',
    isLead: (byte) => within(byte, 0x81, 0xfe),
    isTrail: (byte) => within(byte, 0x40, 0xfe) && byte !== 0x7f,
    isCommon: (lead, trail) => trail >= 0xa1 && (within(lead, 0xb0, 0xd7) || within(lead, 0xa1, 0xa3)),
  },
  {
    name: 'shift_jis',
    isLead: (byte) => within(byte, 0x81, 0x9f) || within(byte, 0xe0, 0xfc),
    isTrail: (byte) => within(byte, 0x40, 0xfc) && byte !== 0x7f,
    isSingle: (byte) => within(byte, 0xa1, 0xdf),
    isCommon: (lead, trail) =>
      within(lead, 0x81, 0x83) || (lead === 0x88 && trail >= 0x9f) || within(lead, 0x89, 0x97),
  },
  {
    name: 'big5',
    isLead: (byte) => within(byte, 0xa1, 0xf9),
    isTrail: (byte) => within(byte, 0x40, 0x7e) || within(byte, 0xa1, 0xfe),
    isCommon: (lead) => within(lead, 0xa4, 0xc6) || lead === 0xa1,
  },
  {
    name: 'euc-jp',
    isLead: (byte) => within(byte, 0xa1, 0xfe),
    isTrail: (byte) => within(byte, 0xa1, 0xfe),
    isCommon: (lead) => within(lead, 0xb0, 0xcf) || within(lead, 0xa1, 0xa5),
    isTelling: (lead) => lead === 0xa4 || lead === 0xa5,
  },
  {
    name: 'euc-kr',
    isLead: (byte) => within(byte, 0xa1, 0xfe),
    isTrail: (byte) => within(byte, 0xa1, 0xfe),
    isCommon: (lead) => within(lead, 0xb0, 0xc8) || within(lead, 0xa1, 0xa3),
    isTelling: (lead) => within(lead, 0xb0, 0xc8),
  },
];

/** Counts the characters beyond ASCII, undefined where the bytes do not follow the encoding. */
export function tally(bytes: Uint8Array, encoding: DoubleByteEncoding): Tally | undefined {
  const counted = { characters: 0, common: 0, telling: 0 };
  for (let index = 0; index < bytes.length; index++) {
    const lead = bytes[index]!;
    if (lead < 0x80) continue;
    counted.characters++;
    if (encoding.isSingle?.(lead)) continue;
    const trail = bytes[index + 1];
    if (!encoding.isLead(lead) || trail === undefined) return undefined;
    if (encoding.name === 'gb18030' && isFourByteCharacter(bytes, index)) {
      index += 3;
      continue;
    }
    if (!encoding.isTrail(trail)) return undefined;
    if (encoding.isCommon(lead, trail)) counted.common++;
    if (encoding.isTelling?.(lead)) counted.telling++;
    index++;
  }
  return counted.characters === 0 ? undefined : counted;
}

function isFourByteCharacter(bytes: Uint8Array, index: number): boolean {
  return (
    within(bytes[index + 1]!, 0x30, 0x39) &&
    within(bytes[index + 2] ?? 0, 0x81, 0xfe) &&
    within(bytes[index + 3] ?? 0, 0x30, 0x39)
  );
}

function within(byte: number, low: number, high: number): boolean {
  return byte >= low && byte <= high;
}
