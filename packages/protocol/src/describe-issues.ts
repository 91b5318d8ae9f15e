import type { z } from 'zod';

/** Each problem as `path: what is wrong`, so that the caller knows which field to mend. */
export function describeIssues(error: z.ZodError, root = ''): string {
  return error.issues
    .map((issue) => {
      const path = [root, ...issue.path.map(String)].filter(Boolean).join('.');
      return path === '' ? issue.message : `${path}: ${issue.message}`;
    })
    .join('; ');
}
