import { type Session, session } from '@fairlead/protocol';
import type { Schema } from './http.ts';

/** Answers that are too small for a schema of the protocol. */

export const sessionList: Schema<Session[]> = field('sessions', session.array());
export const ticketText: Schema<string> = field('ticket', matching(isText, 'not a text'));
export const fileNames: Schema<string[]> = matching(isTexts, 'not a list of names');

function field<Value>(name: string, schema: Schema<Value>): Schema<Value> {
  return { safeParse: (value) => schema.safeParse((value as Record<string, unknown> | null)?.[name]) };
}

function matching<Value>(isValue: (value: unknown) => value is Value, message: string): Schema<Value> {
  return {
    safeParse: (value) =>
      isValue(value)
        ? { success: true, data: value }
        : { success: false, error: { issues: [{ path: [], message }] } },
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}
