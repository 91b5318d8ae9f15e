import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describeIssues, sessionEvent, type SessionEvent } from '@fairlead/protocol';
import type { Cli } from '../cli.ts';
import { CliError } from '../cli-error.ts';

export type Step = Extract<SessionEvent, { type: 'action' | 'observation' }>;

/** Actions and observations of an export, in order. Nothing is done before the whole file is known to be good. */
export async function readExport({ stdin, settings }: Cli, file: string): Promise<Step[]> {
  const path = resolve(settings.cwd, file);
  const input = file === '-' ? stdin : createReadStream(path, 'utf8');
  const steps: Step[] = [];
  let lineNumber = 0;
  try {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      lineNumber += 1;
      if (line.trim() === '') continue;
      const event = parseLine(line, `${file} line ${lineNumber}`);
      if (event.type === 'action' || event.type === 'observation') steps.push(event);
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`Cannot read ${path}: ${(error as Error).message}`);
  }
  if (steps.length === 0)
    throw new CliError(`There are no actions in ${file}; write one with "fairlead session export".`);
  return steps;
}

function parseLine(line: string, where: string): SessionEvent {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new CliError(`${where} is not JSON; is the file one that "fairlead session export" wrote?`);
  }
  const event = sessionEvent.safeParse(value);
  if (event.success) return event.data;
  throw new CliError(`${where} is not a record of a journal: ${describeIssues(event.error)}`);
}
