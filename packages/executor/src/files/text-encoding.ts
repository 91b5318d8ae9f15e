import { isUtf8 } from 'node:buffer';
import { guessLegacyEncoding, sampleAroundFirstHighByte } from './legacy-encoding.ts';
import { type TextEncoding, utf8 } from './encoding-names.ts';
import { decodeWithStrays, encodeWithStrays, isMostlyUtf8 } from './stray-bytes.ts';
import { guessUtf16, looksLikeProgramData } from './text-shape.ts';

export interface DecodedText {
  text: string;
  encoding: TextEncoding;
}

const byteOrderMarks = [
  { name: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { name: 'utf-16le', bytes: [0xff, 0xfe] },
  { name: 'utf-16be', bytes: [0xfe, 0xff] },
] as const;

/** The text in the bytes and how it was written there; undefined for what is not text. */
export async function decodeText(bytes: Uint8Array): Promise<DecodedText | undefined> {
  const encoding = detectEncoding(bytes);
  if (encoding === undefined) return undefined;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { text: await decodeAs(encoding, buffer.subarray(markOf(encoding).length)), encoding };
}

export function isBinary(bytes: Uint8Array): boolean {
  return detectEncoding(bytes) === undefined;
}

/** Undefined when the encoding has no way to write a character of the text. */
export async function encodeText(text: string, encoding: TextEncoding): Promise<Uint8Array | undefined> {
  if (encoding.name === 'utf-8' && !text.isWellFormed()) return undefined;
  const body = await encodeAs(encoding, text);
  const isExact = encoding.name === 'utf-8' || encoding.name.startsWith('utf-16');
  if (!isExact && (await decodeAs(encoding, body)) !== text) return undefined;
  const mark = markOf(encoding);
  return mark.length === 0 ? body : Buffer.concat([mark, body]);
}

function detectEncoding(bytes: Uint8Array): TextEncoding | undefined {
  if (bytes.length === 0) return utf8;
  const marked = byteOrderMarks.find((mark) => mark.bytes.every((byte, index) => bytes[index] === byte));
  if (marked !== undefined) {
    const readable =
      marked.name === 'utf-8' ? isUtf8(bytes) : guessUtf16(bytes.subarray(2), marked.name) !== undefined;
    if (readable) return { name: marked.name, byteOrderMark: true };
  }
  if (looksLikeProgramData(bytes)) {
    const name = guessUtf16(bytes);
    return name && { name, byteOrderMark: false };
  }
  if (isUtf8(bytes)) return utf8;
  const sample = sampleAroundFirstHighByte(bytes);
  if (isMostlyUtf8(sample)) return { name: 'utf-8 with stray bytes', byteOrderMark: false };
  const legacy = guessLegacyEncoding(sample);
  return legacy && { name: legacy, byteOrderMark: false };
}

function markOf({ name, byteOrderMark }: TextEncoding): Uint8Array {
  const mark = byteOrderMark && byteOrderMarks.find((known) => known.name === name);
  return Uint8Array.from(mark ? mark.bytes : []);
}

async function decodeAs({ name }: TextEncoding, buffer: Buffer): Promise<string> {
  if (name === 'utf-8') return buffer.toString('utf8');
  if (name === 'utf-8 with stray bytes') return decodeWithStrays(buffer);
  if (name === 'utf-16le') return buffer.toString('utf16le');
  if (name === 'utf-16be') return Buffer.from(buffer).swap16().toString('utf16le');
  return (await legacyCodecs()).decode(buffer, name, { stripBOM: false });
}

async function encodeAs({ name }: TextEncoding, text: string): Promise<Buffer> {
  if (name === 'utf-8') return Buffer.from(text, 'utf8');
  if (name === 'utf-8 with stray bytes') return encodeWithStrays(text);
  if (name === 'utf-16le') return Buffer.from(text, 'utf16le');
  if (name === 'utf-16be') return Buffer.from(text, 'utf16le').swap16();
  return (await legacyCodecs()).encode(text, name);
}

/** Loaded with the first file that needs it: most sessions see none, and all want to start fast. */
async function legacyCodecs() {
  return (await import('iconv-lite')).default;
}
