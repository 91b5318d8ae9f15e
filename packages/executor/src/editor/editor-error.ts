import { FileError, type FileErrorCode } from '../files/file-host.ts';
import { quoted } from './python-text.ts';

/** A command the editor refused; the message goes to the agent. */
export class EditorError extends Error {}

export function invalidParameter(name: string, value: string | number, hint: string): EditorError {
  return new EditorError(`Invalid \`${name}\` parameter: ${value}. ${hint}`);
}

export function missingParameter(name: string, command: string): EditorError {
  return new EditorError(`Parameter \`${name}\` is required for command: ${command}.`);
}

export function invalidFile(path: string, reason: string): EditorError {
  return new EditorError(`File validation failed for ${path}: ${reason}`);
}

/** Runs a step on the file; its failure is told the way the contract words it. */
export async function onFile<Value>(step: string, path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const known = systemTexts[error.code];
    if (known === undefined) throw new EditorError(error.message);
    throw new EditorError(`Ran into ${known}: ${quoted(path)} while trying to ${step} ${path}`);
  }
}

const systemTexts: Partial<Record<FileErrorCode, string>> = {
  'not-found': '[Errno 2] No such file or directory',
  'no-permission': '[Errno 13] Permission denied',
  'not-directory': '[Errno 20] Not a directory',
  'is-directory': '[Errno 21] Is a directory',
  'no-space': '[Errno 28] No space left on device',
  'read-only': '[Errno 30] Read-only file system',
  'name-too-long': '[Errno 36] File name too long',
  'too-many-links': '[Errno 40] Too many levels of symbolic links',
};
