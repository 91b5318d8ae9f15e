import type { z } from 'zod';
import { editorRequestTypes, isEditorRequestType } from './request-types.ts';
import { type EditorRequest, editorRequests } from './table.ts';

export type DecodedRequest =
  | { ok: true; request: EditorRequest }
  | { ok: false; code: 'unknown_type' | 'invalid_params'; message: string };

/** Checks a request once, at the wire; the message of a failure names the field. */
export function decodeEditorRequest(type: string, params: unknown): DecodedRequest {
  if (!isEditorRequestType(type)) {
    const known = editorRequestTypes.join(', ');
    const message = `Unknown request type: ${type.slice(0, 100)}. Known types: ${known}.`;
    return { ok: false, code: 'unknown_type', message };
  }
  const checked = editorRequests[type].params.safeParse(params ?? {}, { reportInput: true });
  if (!checked.success) {
    const message = checked.error.issues.map(describe).join('; ');
    return { ok: false, code: 'invalid_params', message };
  }
  // The schema was looked up by the same name, which TypeScript cannot follow through a union.
  return { ok: true, request: { type, params: checked.data } as EditorRequest };
}

function describe(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String).join('.');
  const isMissing = path !== '' && issue.code === 'invalid_type' && issue.input === undefined;
  if (isMissing) return `Missing ${path} parameter`;
  return `${['params', path].filter(Boolean).join('.')}: ${issue.message}`;
}
