import { extname, isAbsolute, join } from 'node:path';
import { FileError, type FileErrorCode, type FileHost, type FileStat } from '../files/file-host.ts';
import { asTextFile, type TextFile } from '../files/text-file.ts';
import { EditorError, invalidFile, invalidParameter, onFile } from './editor-error.ts';

const maximumMegabytes = 10;
const megabyte = 1024 * 1024;
const viewOnly = new Set(['.docx', '.xlsx', '.pptx', '.pdf', '.mp3', '.wav', '.m4a', '.flac']);

/** Refuses a path that does not fit the command; answers with what is there. */
export async function refusePath(
  host: FileHost,
  workspaceRoot: string,
  command: string,
  path: string,
): Promise<FileStat | undefined> {
  const refuse = (hint: string) => invalidParameter('path', path, hint);
  if (!isAbsolute(path)) throw refuse(await absoluteHint(host, workspaceRoot, path));
  const stat = await existing(host, path);
  if (command === 'create' && stat !== undefined)
    throw refuse(`File already exists at: ${path}. Cannot overwrite files using command \`create\`.`);
  if (command !== 'create' && stat === undefined)
    throw refuse(`The path ${path} does not exist. Please provide a valid path.`);
  if (command === 'view') return stat;
  if (stat?.kind === 'directory')
    throw refuse(`The path ${path} is a directory and only the \`view\` command can be used on directories.`);
  const extension = viewOnlyExtension(path);
  if (extension !== undefined)
    throw refuse(
      `The path ${path} points to a binary file (${extension}) and only the \`view\` command can be used on supported binary files.`,
    );
  return stat;
}

export async function readEditable(host: FileHost, path: string): Promise<TextFile> {
  const limit = maximumMegabytes * megabyte + 1;
  const bytes = await onFile('read', path, async () => {
    refuseTooLarge(path, (await host.stat(path)).size);
    return host.readFile(path, limit);
  });
  refuseTooLarge(path, bytes.length);
  const file = await asTextFile(bytes);
  if (file !== undefined) return file;
  throw invalidFile(
    path,
    'File appears to be binary and this file type cannot be read or edited by this tool.',
  );
}

export function refuseTooLarge(path: string, size: number): void {
  if (size <= maximumMegabytes * megabyte) return;
  const megabytes = (size / megabyte).toFixed(1);
  throw invalidFile(
    path,
    `File is too large (${megabytes}MB). Maximum allowed size is ${maximumMegabytes}MB.`,
  );
}

/** The extension of a format that the contract lets the editor show and not change. */
export function viewOnlyExtension(path: string): string | undefined {
  const extension = extname(path);
  return viewOnly.has(extension.toLowerCase()) ? extension : undefined;
}

async function absoluteHint(host: FileHost, workspaceRoot: string, path: string): Promise<string> {
  const hint = 'The path should be an absolute path, starting with `/`.';
  const meant = join(workspaceRoot, path);
  const exists = await host.stat(meant).then(
    () => true,
    () => false,
  );
  return exists ? `${hint} Maybe you meant ${meant}?` : hint;
}

const countsAsMissing = new Set<FileErrorCode>(['not-found', 'not-directory', 'too-many-links', 'bad-name']);

async function existing(host: FileHost, path: string): Promise<FileStat | undefined> {
  try {
    return await host.stat(path);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (countsAsMissing.has(error.code)) return undefined;
    throw new EditorError(error.message);
  }
}
