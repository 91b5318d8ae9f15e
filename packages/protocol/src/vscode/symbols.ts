import { z } from 'zod';
import { fileName, filePath, range } from './json-forms.ts';
import { commonParams, editorRequest } from './request.ts';

const symbolFields = z.object({
  name: z.string(),
  /** `Class`, `Function`, …: the names of VS Code's SymbolKind. */
  kind: z.string(),
  detail: z.string(),
  containerName: z.string(),
  ...fileName,
  range,
  /** The name itself within `range`. */
  selectionRange: range,
});

export interface EditorSymbol extends z.infer<typeof symbolFields> {
  children: EditorSymbol[];
}

const symbol: z.ZodType<EditorSymbol> = symbolFields.extend({
  get children(): z.ZodArray<z.ZodType<EditorSymbol>> {
    return z.array(symbol);
  },
});

/** `vscode/symbols`: the outline of a file (`path`), or what matches a `query` in the whole workspace. */
export const symbols = editorRequest({
  type: 'vscode/symbols',
  capability: 'read',
  params: z
    .strictObject({
      path: filePath.optional(),
      query: z.string().max(1000).optional(),
      limit: z.int().min(1).max(10_000).default(1000),
      ...commonParams,
    })
    .refine(({ path, query }) => (path === undefined) !== (query === undefined), {
      error: 'give either "path" or "query"',
    }),
  result: z.object({ symbols: z.array(symbol), isTruncated: z.boolean() }),
});
