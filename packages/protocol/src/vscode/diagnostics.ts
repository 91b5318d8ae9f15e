import { z } from 'zod';
import { fileName, filePath, range } from './json-forms.ts';
import { commonParams, editorRequest } from './request.ts';

const severity = z.enum(['error', 'warning', 'information', 'hint']);

/** A problem that VS Code shows in a file. */
export const diagnostic = z.object({
  ...fileName,
  range,
  severity,
  message: z.string(),
  source: z.string().nullable(),
  code: z.union([z.string(), z.number()]).nullable(),
});
export type EditorDiagnostic = z.infer<typeof diagnostic>;

/**
 * `vscode/diagnostics`: the problems VS Code knows of, in one file or in all. A file that is not open is opened in the
 * background first, since most language extensions look only at open files.
 */
export const diagnostics = editorRequest({
  type: 'vscode/diagnostics',
  capability: 'read',
  params: z.strictObject({
    path: filePath.optional(),
    /** This severity and worse. */
    severity: severity.default('hint'),
    /** How long to wait at most for problems that are still being looked for, in milliseconds. */
    settleMs: z.number().min(0).max(60_000).default(1000),
    limit: z.int().min(1).max(10_000).default(1000),
    ...commonParams,
  }),
  result: z.object({
    diagnostics: z.array(diagnostic),
    isTruncated: z.boolean(),
  }),
});
