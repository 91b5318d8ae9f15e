import { FileError, type FileErrorCode } from '@fairlead/executor';
import { HttpError } from '@fairlead/http';

const statusByCode: Record<FileErrorCode, number> = {
  'not-found': 404,
  'is-directory': 400,
  'not-directory': 400,
  'no-permission': 403,
  'no-space': 507,
  'read-only': 403,
  'too-many-links': 400,
  'name-too-long': 400,
  'special-file': 400,
  'bad-archive': 400,
  'bad-name': 400,
  conflict: 409,
  refused: 403,
  outside: 403,
  other: 400,
};

/** What the file system refused, as an answer; anything else is passed on. */
export function fileFailure(error: unknown): unknown {
  return error instanceof FileError ? new HttpError(statusByCode[error.code], error.message) : error;
}
