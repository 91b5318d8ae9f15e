import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ActionEvent, SessionHandle } from '@fairlead/client';
import { type Observation, runObservation } from '@fairlead/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readExport, type Step } from '../src/replay/read-export.ts';
import { replay } from '../src/replay/replay.ts';
import { testCli } from './support/test-cli.ts';

const time = '2030-01-01T00:00:00.000Z';
const action = (seq: number, actionId: string, command: string): Step => ({
  type: 'action',
  seq,
  time,
  actionId,
  shell: 'main',
  event: { action: 'run', args: { command } },
});
const observation = (seq: number, actionId: string, code: number): Step => ({
  type: 'observation',
  seq,
  time,
  actionId,
  event: runObservation('x', '', { exit_code: code }),
});

describe('replay', () => {
  const begun: string[] = [];
  /** A session in which `read` ends when its input has come. */
  function sessionOf(codes: Record<string, number>): SessionHandle {
    begun.length = 0;
    const input = Promise.withResolvers<void>();
    const act = async ({ args }: ActionEvent): Promise<Observation> => {
      const command = String(args['command']);
      begun.push(command);
      if (command === 'input') input.resolve();
      if (command === 'read') await input.promise;
      return runObservation(command, '', { exit_code: codes[command] ?? 0 });
    };
    return { act } as unknown as SessionHandle;
  }
  async function replayed(codes: Record<string, number>, steps: Step[]) {
    const ends = [];
    for await (const end of replay(sessionOf(codes), steps)) ends.push(end);
    return ends;
  }

  it('sends one action after the other and compares how they end', async () => {
    const steps = [
      action(1, 'a', 'true'),
      observation(2, 'a', 0),
      action(3, 'b', 'false'),
      observation(4, 'b', 1),
    ];
    expect(await replayed({ false: 2 }, steps)).toEqual([
      { seq: 1, what: 'run true', recorded: 'exit 0', now: 'exit 0', isSame: true },
      { seq: 3, what: 'run false', recorded: 'exit 1', now: 'exit 2', isSame: false },
    ]);
    expect(begun).toEqual(['true', 'false']);
  });

  it('sends input while the command that it was for is running', async () => {
    const steps = [
      action(1, 'a', 'read'),
      action(2, 'b', 'input'),
      observation(3, 'b', 0),
      observation(4, 'a', 0),
    ];
    expect(await replayed({}, steps)).toMatchObject([{ isSame: true }, { isSame: true }]);
  });

  it('does also what had not ended when the journal was written', async () => {
    expect(await replayed({ make: 1 }, [action(1, 'a', 'make')])).toMatchObject([
      { recorded: 'not recorded', now: 'exit 1', isSame: true },
    ]);
  });
});

describe('an export', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'fairlead-export-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  const read = (...lines: unknown[]) => {
    const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    writeFileSync(join(directory, 'e.jsonl'), text);
    return readExport(testCli({ cwd: directory }), 'e.jsonl');
  };

  it('is read without what is no action', async () => {
    const steps = [action(1, 'a', 'true'), observation(2, 'a', 0)];
    const state = { type: 'state', seq: 3, time, state: 'stopped', reason: null };
    expect(await read(...steps, '', state)).toEqual(steps);
  });

  it('is refused with the line that is wrong, before anything is done', async () => {
    await expect(read(action(1, 'a', 'true'), '{"type"')).rejects.toThrow('e.jsonl line 2 is not JSON');
    await expect(read({ type: 'action', seq: 1 })).rejects.toThrow(
      'e.jsonl line 1 is not a record of a journal',
    );
    await expect(read('')).rejects.toThrow('There are no actions in e.jsonl');
    await expect(readExport(testCli({ cwd: directory }), 'missing')).rejects.toThrow('Cannot read');
  });
});
