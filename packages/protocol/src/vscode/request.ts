import { z } from 'zod';

/** What a request needs the user's consent for; see the settings `fairlead.consent.<capability>`. */
export type RequestCapability = 'read' | 'edit' | 'interact' | 'command' | 'chat';

/** The contract of one request to the editor, from an agent in a window session or from a script on the bridge. */
export interface EditorRequestContract<
  Type extends string,
  Params extends z.ZodType,
  Result extends z.ZodType,
> {
  type: Type;
  capability: RequestCapability;
  params: Params;
  result: Result;
}

/** Keeps the literal types, so that the table of all requests knows each by its name. */
export function editorRequest<const Type extends string, Params extends z.ZodType, Result extends z.ZodType>(
  contract: EditorRequestContract<Type, Params, Result>,
): EditorRequestContract<Type, Params, Result> {
  return contract;
}

/** Milliseconds that the caller waits. The answer, or the error `timeout`, leaves the window before. */
export const timeoutMs = z.number().positive().max(86_400_000);

/** In the parameters of every request. */
export const commonParams = { timeout: timeoutMs.optional() };
