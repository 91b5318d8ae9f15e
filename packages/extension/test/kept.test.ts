import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keptIn } from '../src/kept.ts';

test('what is set is there at once for the next extension host, in a file for this user alone', () => {
  const directory = storage();
  keptIn(directory, fail)('window-id').set({ id: 'one' });
  expect(keptIn(directory, fail)('window-id').get()).toEqual({ id: 'one' });
  expect(keptIn(directory, fail)('runs').get()).toBeUndefined();
  expect(readdirSync(directory)).toEqual(['window-id.json']);
  expect(statSync(join(directory, 'window-id.json')).mode & 0o777).toBe(0o600);
});

test('undefined forgets it, also where nothing was', () => {
  const kept = keptIn(storage(), fail)('runs');
  kept.set(undefined);
  kept.set([1]);
  kept.set(undefined);
  expect(kept.get()).toBeUndefined();
});

test('what cannot be read is as if it had never been', () => {
  const directory = storage();
  const kept = keptIn(directory, fail)('runs');
  kept.set([1]);
  writeFileSync(join(directory, 'runs.json'), '[1');
  expect(kept.get()).toBeUndefined();
});

test('what cannot be written is told, and stops nobody', () => {
  const directory = storage();
  mkdirSync(join(directory, '..'), { recursive: true });
  writeFileSync(directory, 'a file where the directory should be');
  const problems: string[] = [];
  keptIn(directory, (problem) => problems.push(problem))('runs').set([1]);
  expect(problems).toEqual([expect.stringMatching(/^runs is not remembered: /)]);
});

function fail(problem: string): never {
  throw new Error(problem);
}

function storage(): string {
  const directory = mkdtempSync(join(tmpdir(), 'fairlead-kept-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, 'storage');
}
