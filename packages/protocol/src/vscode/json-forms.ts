import { z } from 'zod';

/** Lines and characters count from 0; characters are UTF-16 units, as everywhere in VS Code. */
export const position = z.object({ line: z.int().min(0), character: z.int().min(0) });
export type EditorPosition = z.infer<typeof position>;

/** `end` is the first position that is not part of it. */
export const range = z.object({ start: position, end: position });
export type EditorRange = z.infer<typeof range>;

/** A path in the workspace (`src/a.ts`, `folder/src/a.ts`, `/absolute/a.ts`) or a URI (`file:///a.ts`). */
export const filePath = z.string().min(1).max(10_000);

/** How a file is named in results: `path` on this machine (or in its file system), and its URI. */
export const fileName = { path: z.string(), uri: z.string() };

export const location = z.object({ ...fileName, range });
export type EditorLocation = z.infer<typeof location>;

/**
 * VS Code's own objects among the arguments and results of commands. What has no such form is plain JSON.
 * A `Uri` is `{"$type": "Uri", "value": "file:///a.ts"}`.
 */
export const vscodeValue = z.discriminatedUnion('$type', [
  z.strictObject({ $type: z.literal('Uri'), value: z.string() }),
  z.strictObject({ $type: z.literal('Position'), ...position.shape }),
  z.strictObject({ $type: z.literal('Range'), ...range.shape }),
  z.strictObject({ $type: z.literal('Selection'), anchor: position, active: position }),
  z.strictObject({ $type: z.literal('Location'), uri: z.string(), range }),
]);
export type VscodeValue = z.infer<typeof vscodeValue>;
