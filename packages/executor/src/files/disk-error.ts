import { FileError, type FileErrorCode } from './file-host.ts';

/** The same failure by our own code, with a message for the one who asked. */
export function diskError(error: unknown, path: string): FileError {
  if (error instanceof FileError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const known = failures[code ?? ''];
  if (known !== undefined) return new FileError(known.code, path, known.message(path));
  return new FileError('other', path, `Cannot use ${path}: ${message}`);
}

export function specialFile(path: string): FileError {
  return new FileError(
    'special-file',
    path,
    `Not a regular file: ${path} is a pipe, a socket or a device. Use the shell for it.`,
  );
}

export function isDirectory(path: string): FileError {
  return diskError({ code: 'EISDIR' }, path);
}

const noPermission = {
  code: 'no-permission',
  message: (path: string) =>
    `Permission denied: ${path}. Choose another path, or change its mode or owner in the shell.`,
} as const;

const failures: Record<string, { code: FileErrorCode; message: (path: string) => string }> = {
  ENOENT: { code: 'not-found', message: (path) => `File not found: ${path}` },
  EISDIR: { code: 'is-directory', message: (path) => `Path is a directory: ${path}` },
  ENOTDIR: { code: 'not-directory', message: (path) => `Not a directory: a part of ${path} is a file.` },
  EEXIST: { code: 'not-directory', message: (path) => `Not a directory: a part of ${path} is a file.` },
  EACCES: noPermission,
  EPERM: noPermission,
  ENOSPC: {
    code: 'no-space',
    message: (path) => `No space left on device: ${path} was not written. Free some space and try again.`,
  },
  EDQUOT: {
    code: 'no-space',
    message: (path) => `Disk quota exceeded: ${path} was not written. Free some space and try again.`,
  },
  EROFS: { code: 'read-only', message: (path) => `Read-only file system: ${path} cannot be written.` },
  ELOOP: { code: 'too-many-links', message: (path) => `Too many symbolic links: ${path} leads in a circle.` },
  ENAMETOOLONG: { code: 'name-too-long', message: (path) => `File name too long: ${path.slice(0, 200)}…` },
  ERR_INVALID_ARG_VALUE: {
    code: 'bad-name',
    message: (path) => `Not a file name: ${JSON.stringify(path)} holds a NUL character.`,
  },
};
