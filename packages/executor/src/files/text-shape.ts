/** How much of a file tells what it is. */
const headBytes = 8192;

const signatures = [
  '%PDF-',
  '\x89PNG',
  '\x7fELF',
  'PK\x03\x04',
  'PK\x05\x06',
  'GIF8',
  '\xff\xd8\xff',
  '\x1f\x8b',
];

/** Bytes no text has: a NUL, the start of a known format, or many control characters. */
export function looksLikeProgramData(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, headBytes);
  if (head.includes(0)) return true;
  const start = Buffer.from(head.subarray(0, 8)).toString('latin1');
  return signatures.some((signature) => start.startsWith(signature)) || controlShare(head) > 0.3;
}

/** Share of bytes that are control characters other than white space, backspace and escape. */
export function controlShare(bytes: Uint8Array): number {
  let controls = 0;
  for (const byte of bytes) if (isControl(byte)) controls++;
  return bytes.length === 0 ? 0 : controls / bytes.length;
}

/**
 * Which UTF-16 these bytes are, if any. Without a mark this asks for a NUL byte, which a line end or a space brings
 * along, and for text without control characters or unassigned ones: data in pairs of bytes nearly always has some.
 */
export function guessUtf16(
  bytes: Uint8Array,
  marked?: 'utf-16le' | 'utf-16be',
): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes.length % 2 !== 0) return undefined;
  const head = Buffer.from(bytes.subarray(0, headBytes));
  const readings = [
    { name: 'utf-16le', text: head.toString('utf16le') },
    { name: 'utf-16be', text: Buffer.from(head).swap16().toString('utf16le') },
  ] as const;
  if (marked !== undefined) {
    const reading = readings.find(({ name }) => name === marked);
    return reading?.text.includes('\0') ? undefined : marked;
  }
  const plausible = readings.filter(({ text }) => isPlausible(text));
  plausible.sort((left, right) => commonShare(right.text) - commonShare(left.text));
  const best = plausible[0];
  return best !== undefined && commonShare(best.text) > 0.02 ? best.name : undefined;
}

function isPlausible(text: string): boolean {
  // The head may have cut a pair of surrogates.
  const whole = text.replace(/[\ud800-\udbff]$/, '');
  return whole.isWellFormed() && !/[\0-\x07\x0e-\x1a\x1c-\x1f\x7f-\x9f]|[\p{Cn}\p{Co}]/u.test(whole);
}

/** Share of characters that text of every script has: ASCII and the ideographic space, comma and full stop. */
function commonShare(text: string): number {
  return (text.match(/[\t\n\r\x20-\x7e\u3000-\u3002\uff0c]/g)?.length ?? 0) / text.length;
}

function isControl(byte: number): boolean {
  return (byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b) || byte === 0x7f;
}
