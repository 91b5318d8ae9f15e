import type { Observation, WriteArgs } from '@fairlead/protocol';
import { errorObservation, writeObservation } from '@fairlead/protocol/answers';
import { isUtf8 } from 'node:buffer';
import { absolutePath, type FileContext } from './file-context.ts';
import { FileError, type FileHost } from './file-host.ts';
import { withLineEnding } from './line-endings.ts';
import { withFileLocked } from './path-lock.ts';
import { notesOn } from './written-notes.ts';
import { encodeText } from './text-encoding.ts';
import { asTextFile, isLegacy, type TextFile, writeTextFile, type WrittenText } from './text-file.ts';

const maximumBytes = 100 * 1024 * 1024;

/** Writes a whole file, or puts lines in the place of others. Every line of `content` gets a line end. */
export async function writeAction(args: WriteArgs, context: FileContext): Promise<Observation> {
  const path = await absolutePath(args.path, context);
  try {
    const written = await withFileLocked(context.host, path, () => writeLines(args, path, context.host));
    return writeObservation(path, notesOn(written).join('\n'), written.diagnostics);
  } catch (error) {
    if (error instanceof FileError) return errorObservation(describe(error, path));
    throw error;
  }
}

async function writeLines(args: WriteArgs, path: string, host: FileHost): Promise<WrittenText> {
  const whole = args.start === 0 && args.end === -1;
  const before = await existingText(host, path, whole);
  const inserted = withLineEnding(`${args.content}\n`, before?.lineEnding ?? '\n');
  if (whole || before === undefined) {
    const form = await formForWhole(inserted, before);
    return writeTextFile(host, path, inserted, form, { createParents: true });
  }
  const lines = before.original.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
  const above = args.start === 0 ? [] : lines.slice(0, args.start);
  const below = args.end === -1 ? [] : lines.slice(args.end);
  return writeTextFile(host, path, [...above, inserted, ...below].join(''), before);
}

async function existingText(host: FileHost, path: string, whole: boolean): Promise<TextFile | undefined> {
  const stat = await host.stat(path).catch(absent);
  if (stat === undefined) return undefined;
  if (stat.size > maximumBytes) {
    if (whole) return undefined;
    throw new FileError(
      'other',
      path,
      `File is too large to change some of its lines: ${path}. Use the shell.`,
    );
  }
  const bytes = await host.readFile(path);
  const text = await asTextFile(bytes);
  if (text !== undefined || (whole && isUtf8(bytes))) return text;
  throw new FileError('other', path, `File could not be decoded as utf-8: ${path}`);
}

/** Nothing of the old text is left in a whole new one, so its encoding is kept only where it can be. */
async function formForWhole(text: string, before: TextFile | undefined): Promise<TextFile | undefined> {
  if (before === undefined || !isLegacy(before.encoding)) return before;
  return (await encodeText(text, before.encoding)) === undefined ? undefined : before;
}

function absent(error: unknown): undefined {
  if (!(error instanceof FileError) || error.code !== 'not-found') throw error;
}

function describe(error: FileError, path: string): string {
  if (error.code === 'not-found') return `File not found: ${path}`;
  if (error.code === 'is-directory') return `Path is a directory: ${path}. You can only write to files`;
  return error.message;
}
