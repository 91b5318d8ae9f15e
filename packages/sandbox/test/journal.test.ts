import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Journal } from '../src/journal/journal.ts';
import { temporaryDirectory } from './support/test-server.ts';

const limits = { minimumObservations: 10, minimumFileBytes: 1000, maximumFileBytes: 10_000 };

test('numbers go on after a restart, also those that live output had', async () => {
  const directory = await temporaryDirectory();
  const before = new Journal(directory);
  for (let n = 0; n < 25; n += 1) before.takeSeq();
  const last = before.lastSeq;
  before.close();
  const after = new Journal(directory);
  expect(after.takeSeq()).toBeGreaterThan(last);
  after.close();
});

test('the files stay bounded and the last answers are kept', async () => {
  const directory = await temporaryDirectory();
  const journal = new Journal(directory, limits);
  for (let n = 0; n < 2000; n += 1) record(journal, `a${n}`, 'x'.repeat(50));
  expect(journal.find('a0')).toBeUndefined();
  for (let n = 1990; n < 2000; n += 1) {
    expect(journal.eventJson(journal.findByKey(`a${n}`)!.observation!)).toContain('x'.repeat(50));
  }
  journal.close();
  const sizes = await Promise.all(
    (await readdir(directory)).map(async (name) => (await stat(join(directory, name))).size),
  );
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(2 * limits.maximumFileBytes + 2000);
});

test('an action that runs through many rotations is unfinished after a restart, with its event', async () => {
  const directory = await temporaryDirectory();
  const journal = new Journal(directory, limits);
  journal.recordAction({ actionId: 'long', shell: 'main', timeoutSeconds: 5 }, '{"action":"run"}');
  for (let n = 0; n < 500; n += 1) record(journal, `a${n}`, 'x');
  journal.close();
  const after = new Journal(directory, limits);
  const [entry, ...others] = after.unfinished();
  expect(others).toEqual([]);
  expect(entry).toMatchObject({ actionId: 'long', shell: 'main', timeoutSeconds: 5 });
  expect(after.eventJson(entry!.action!)).toBe('{"action":"run"}');
  after.close();
});

test('records come back in the order of their numbers', async () => {
  const directory = await temporaryDirectory();
  const journal = new Journal(directory, limits);
  journal.recordAction({ actionId: 'long', shell: 'main' }, '{}');
  for (let n = 0; n < 200; n += 1) record(journal, `a${n}`, 'x');
  journal.close();
  const after = new Journal(directory, limits);
  const numbers: number[] = [];
  for (let next = after.next(0); next !== undefined; next = after.next(next.seq)) {
    numbers.push(next.seq);
    expect(JSON.parse(next.text()).seq).toBe(next.seq);
  }
  expect(numbers.length).toBeGreaterThan(20);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  after.close();
});

function record(journal: Journal, actionId: string, content: string): void {
  const entry = journal.recordAction(
    { actionId, shell: 'main', retry: { key: actionId, bodyHash: 'h' } },
    '{"action":"run"}',
  );
  journal.recordObservation(entry, JSON.stringify({ content }));
}
