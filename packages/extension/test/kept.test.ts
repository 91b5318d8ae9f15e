import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keptIn, keptState } from '../src/kept.ts';

test('what is set is there at once for the next extension host, in a file for this user alone', () => {
  const directory = storage();
  keptIn(directory)('window-id').set({ id: 'one' });
  expect(keptIn(directory)('window-id').get()).toEqual({ id: 'one' });
  expect(keptIn(directory)('runs').get()).toBeUndefined();
  expect(readdirSync(directory)).toEqual(['window-id.json']);
  expect(statSync(join(directory, 'window-id.json')).mode & 0o777).toBe(0o600);
});

test('undefined forgets it, also where nothing was', () => {
  const kept = keptIn(storage())('runs');
  kept.set(undefined);
  kept.set([1]);
  kept.set(undefined);
  expect(kept.get()).toBeUndefined();
});

test('what cannot be read is as if it had never been', () => {
  const directory = storage();
  const kept = keptIn(directory)('runs');
  kept.set([1]);
  writeFileSync(join(directory, 'runs.json'), '[1');
  expect(kept.get()).toBeUndefined();
});

test('a window without a folder remembers until it is loaded anew', () => {
  const state = keptState({ storageUri: undefined });
  state('runs').set([1]);
  expect(state('runs').get()).toEqual([1]);
  expect(keptState({ storageUri: undefined })('runs').get()).toBeUndefined();
});

function storage(): string {
  const directory = mkdtempSync(join(tmpdir(), 'fairlead-kept-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, 'storage');
}
