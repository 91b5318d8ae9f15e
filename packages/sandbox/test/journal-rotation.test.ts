import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Journal } from '../src/journal/journal.ts';
import { formatLine } from '../src/journal/journal-line.ts';
import { temporaryDirectory } from './support/test-server.ts';

test('what a failed rotation left behind does not come back as an action that still runs', async () => {
  const directory = await temporaryDirectory();
  const limits = { minimumObservations: 1, minimumFileBytes: 1, maximumFileBytes: 10_000 };
  const journal = new Journal(directory, limits);
  const head = {
    type: 'action',
    seq: 1,
    time: new Date().toISOString(),
    actionId: 'old',
    shell: 'main',
  } as const;
  await writeFile(join(directory, 'journal.next.jsonl'), `${formatLine(head, '{"action":"run"}')}\n`);
  const entry = journal.recordAction({ actionId: 'new', shell: 'main' }, '{}');
  journal.recordObservation(entry, '{}');
  journal.close();
  const after = new Journal(directory, limits);
  expect(after.unfinished()).toEqual([]);
  after.close();
});
