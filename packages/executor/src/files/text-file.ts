import { type TextEncoding, utf8 } from './encoding-names.ts';
import { FileError, type FileHost, type WriteOptions, type WrittenFile } from './file-host.ts';
import { type LineEnding, usualLineEnding, plainText } from './line-endings.ts';
import { decodeText, encodeText } from './text-encoding.ts';

/** A file's text, with all it takes to write a change of it back in the same form. */
export interface TextFile {
  bytes: Uint8Array;
  /** As it stands in the file. */
  original: string;
  /** With `\n` at the end of every line. */
  text: string;
  encoding: TextEncoding;
  lineEnding: LineEnding;
}

/** Undefined for bytes that are not text. */
export async function asTextFile(bytes: Uint8Array): Promise<TextFile | undefined> {
  const decoded = await decodeText(bytes);
  if (decoded === undefined) return undefined;
  const { text: original, encoding } = decoded;
  return {
    bytes,
    original,
    text: plainText(original),
    encoding,
    lineEnding: usualLineEnding(original),
  };
}

/** A file after a change. */
export interface WrittenText extends WrittenFile {
  /** What it holds instead of what was written, with `\n` at the end of every line; absent when it is that. */
  otherText?: string;
}

/** Writes `original` in the encoding of `before`; refuses rather than changing characters nobody touched. */
export async function writeTextFile(
  host: FileHost,
  path: string,
  original: string,
  before: TextFile | undefined,
  options?: WriteOptions,
): Promise<WrittenText> {
  const encoding = before?.encoding ?? utf8;
  const bytes = await encodeText(original, encoding);
  if (bytes === undefined) throw await inexpressible(path, original, encoding);
  if (before !== undefined && isLegacy(encoding)) await refuseUnlessKept(path, before);
  return writeBytes(host, path, bytes, options);
}

export async function writeBytes(
  host: FileHost,
  path: string,
  bytes: Uint8Array,
  options?: WriteOptions,
): Promise<WrittenText> {
  const written = await host.writeFile(path, bytes, options);
  if (written.bytes === bytes || Buffer.compare(written.bytes, bytes) === 0) return written;
  const text = await plainTextOf(written.bytes);
  return text === (await plainTextOf(bytes)) ? written : { ...written, otherText: text };
}

/** With plain line ends; what is no text is told as if it were. */
async function plainTextOf(bytes: Uint8Array): Promise<string> {
  return (await asTextFile(bytes))?.text ?? plainText(Buffer.from(bytes).toString('utf8'));
}

export function isLegacy({ name }: TextEncoding): boolean {
  return !name.startsWith('utf');
}

async function inexpressible(path: string, text: string, encoding: TextEncoding): Promise<FileError> {
  const bad = await firstInexpressible(text, encoding);
  const code = `U+${(bad.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  const shown = bad.isWellFormed() ? `'${bad}' (${code})` : code;
  const remedy = isLegacy(encoding)
    ? `Leave it out, or convert the file first: iconv -f ${encoding.name} -t utf-8`
    : 'Leave it out: half a surrogate pair is not a character.';
  return new FileError(
    'other',
    path,
    `${path} is ${encoding.name} text, which cannot express ${shown}; nothing was written. ${remedy}`,
  );
}

async function firstInexpressible(text: string, encoding: TextEncoding): Promise<string> {
  for (const character of new Set(text))
    if ((await encodeText(character, encoding)) === undefined) return character;
  return '\ufffd';
}

/** Some encodings have two codes for one character; the second would silently become the first. */
async function refuseUnlessKept(path: string, { original, encoding, bytes }: TextFile): Promise<void> {
  const again = await encodeText(original, encoding);
  if (again !== undefined && Buffer.compare(again, bytes) === 0) return;
  throw new FileError(
    'other',
    path,
    `${path} looks like ${encoding.name} text but has bytes that would change when it is written; nothing was written. Edit it in the shell.`,
  );
}
