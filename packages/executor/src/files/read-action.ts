import type { Observation, ReadArgs } from '@fairlead/protocol';
import { errorObservation, readObservation } from '@fairlead/protocol/answers';
import { extname, isAbsolute } from 'node:path';
import { Editor } from '../editor/editor.ts';
import { absolutePath, type FileContext } from './file-context.ts';
import { FileError, type FileHost } from './file-host.ts';
import { isBinary } from './text-encoding.ts';
import { asTextFile } from './text-file.ts';

const maximumBytes = 100 * 1024 * 1024;
const headBytes = 65_536;
const binaryFile = 'ERROR_BINARY_FILE';

/** Reads a file's text, or a slice of its lines. */
export async function readAction(args: ReadArgs, context: FileContext): Promise<Observation> {
  const path = await absolutePath(args.path, context);
  try {
    if (args.impl_source === 'oh_aci') return await editorView(args, context);
    return await readFile(args, path, context);
  } catch (error) {
    if (error instanceof FileError) return errorObservation(describe(error, path, context.cwd));
    throw error;
  }
}

async function editorView(
  args: ReadArgs,
  { host, cwd, workspaceRoot = cwd }: FileContext,
): Promise<Observation> {
  if (isAbsolute(args.path) && (await isBinaryFile(host, args.path))) return errorObservation(binaryFile);
  const editor = new Editor({ host, workspaceRoot });
  return readObservation(args.path, await editor.view(args.path, args.view_range), 'oh_aci');
}

async function readFile(args: ReadArgs, path: string, { host }: FileContext): Promise<Observation> {
  const stat = await host.stat(path);
  if (stat.size > maximumBytes) return errorObservation(await refusal(host, path, stat.size));
  const bytes = await host.readFile(path, maximumBytes + 1);
  if (bytes.length > maximumBytes) return errorObservation(await refusal(host, path, bytes.length));
  const mediaType = mediaTypes[extname(path).toLowerCase()];
  const file = await asTextFile(bytes);
  // The contract knows media only by a relative path, or where the content passes for text.
  if (mediaType !== undefined && (file !== undefined || !isAbsolute(args.path)))
    return readObservation(path, `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`);
  if (file === undefined) return errorObservation(binaryFile);
  return readObservation(path, sliceOfLines(file.text, args.start, args.end));
}

/** The contract's slice, which never starts after the last but one line when it has an end. */
function sliceOfLines(text: string, start: number, end: number): string {
  if (start <= 0 && end === -1) return text;
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const first = Math.min(Math.max(0, start), lines.length);
  if (end === -1) return lines.slice(first).join('');
  const begin = Math.max(0, Math.min(first, lines.length - 2));
  return lines.slice(begin, Math.max(begin + 1, end)).join('');
}

async function isBinaryFile(host: FileHost, path: string): Promise<boolean> {
  const stat = await host.stat(path).catch(() => undefined);
  if (stat?.kind !== 'file') return false;
  const head = await host.readFile(path, headBytes).catch(() => new Uint8Array());
  return isBinary(head.length < headBytes ? head : wholeLines(head));
}

/** A character that the limit cut in two is no sign of binary data. */
function wholeLines(head: Uint8Array): Uint8Array {
  const end = head.lastIndexOf(0x0a) + 1;
  if (end < head.length / 2) return head;
  // An even length keeps the pairs of UTF-16 together.
  return head.subarray(0, end + (end % 2));
}

async function refusal(host: FileHost, path: string, size: number): Promise<string> {
  if (await isBinaryFile(host, path)) return binaryFile;
  const megabytes = (size / 1024 / 1024).toFixed(1);
  return `File is too large to read at once: ${path} has ${megabytes} MB, the limit is ${maximumBytes / 1024 / 1024} MB. Read a part of it in the shell, for example with sed -n '1,200p'.`;
}

function describe(error: FileError, path: string, cwd: string): string {
  if (error.code === 'not-found') return `File not found: ${path}. Your current working directory is ${cwd}.`;
  if (error.code === 'is-directory') return `Path is a directory: ${path}. You can only read files`;
  return error.message;
}

const mediaTypes: Record<string, string> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.bmp': 'image/bmp',
  '.gif': 'image/gif',
  '.pdf': 'application/pdf',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.ogg': 'audio/ogg',
};
