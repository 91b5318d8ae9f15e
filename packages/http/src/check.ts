import type { IncomingHttpHeaders } from 'node:http';
import type { ZodObject, ZodType, z } from 'zod';
import { describeIssues } from '@fairlead/protocol/describe-issues';
import { HttpError, invalidRequest } from './http-error.ts';

/** The value as the schema has it, or a 422 with the fields that are wrong. */
export function check<Schema extends ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const checked = schema.safeParse(value);
  if (!checked.success) throw invalidRequest(describeIssues(checked.error));
  return checked.data;
}

export function checkQuery<Schema extends ZodType>(schema: Schema, query: URLSearchParams): z.output<Schema> {
  return check(schema, Object.fromEntries(query));
}

/** A header as the schema has it, or a 400. */
export function checkHeader<Schema extends ZodObject, Name extends keyof z.output<Schema> & string>(
  schema: Schema,
  headers: IncomingHttpHeaders,
  name: Name,
): z.output<Schema>[Name] {
  const checked = (schema.shape[name] as ZodType<z.output<Schema>[Name]>).safeParse(headers[name]);
  if (checked.success) return checked.data;
  throw new HttpError(400, `Header ${name}: ${checked.error.issues[0]?.message}`);
}
