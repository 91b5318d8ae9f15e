import type { ZodType, z } from 'zod';
import { describeIssues } from '@fairlead/protocol/describe-issues';
import { invalidRequest } from './http-error.ts';

/** The value as the schema has it, or a 422 with the fields that are wrong. */
export function check<Schema extends ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const checked = schema.safeParse(value);
  if (!checked.success) throw invalidRequest(describeIssues(checked.error));
  return checked.data;
}

export function checkQuery<Schema extends ZodType>(schema: Schema, query: URLSearchParams): z.output<Schema> {
  return check(schema, Object.fromEntries(query));
}
