import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { claimConnection, markReload, whatWasBefore } from '../src/connection/reload-mark.ts';
import { keptIn, type KeptState } from '../src/kept.ts';
import { rememberShown, takeOverFromBefore } from '../src/workspace-before.ts';

test.each([
  ['a folder was added', ['file:///a'], ['file:///a', 'file:///b']],
  ['a folder was taken away', ['file:///a', 'file:///b'], ['file:///b']],
])('a window in which %s takes along who it is, and not what was allowed', async (_what, before, after) => {
  const { directory, state } = place();
  leave(state('before'), before);
  expect(await takeOverFromBefore(directory('after'), after, 1)).toBe(true);
  expect(state('after')('window-id').get()).toBe('w1');
  expect(state('after')('grants').get()).toBeUndefined();
  expect(state('before')('window-id').get()).toBeUndefined();
  expect(state('before')('grants').get()).toEqual(['run']);
});

test('a window that shows other folders, or was known before, takes nothing', async () => {
  const { directory, state } = place();
  leave(state('before'), ['file:///a']);
  expect(await takeOverFromBefore(directory('other'), ['file:///b'], 1)).toBe(false);
  state('known')('window-id').set('w2');
  expect(await takeOverFromBefore(directory('known'), ['file:///a', 'file:///b'], 1)).toBe(false);
  expect(state('known')('window-id').get()).toBe('w2');
  expect(await takeOverFromBefore(directory('first'), [])).toBe(false);
});

test('a window that comes back as what it was is before all others', async () => {
  const { directory, state } = place();
  leave(state('before'), ['file:///a']);
  const other = takeOverFromBefore(directory('other'), ['file:///a', 'file:///b'], 300);
  expect(await whatWasBefore(state('before'))).toBe('reloaded');
  expect(await other).toBe(false);
  expect(state('before')('window-id').get()).toBe('w1');
  expect(state('other')('window-id').get()).toBeUndefined();
});

test('what a workspace remembers of its own stays', async () => {
  const { directory, state } = place();
  leave(state('before'), ['file:///a']);
  state('before')('conversations').set(['theirs']);
  state('after')('conversations').set(['mine']);
  state('after')('runs').set(['mine']);
  expect(await takeOverFromBefore(directory('after'), ['file:///a', 'file:///b'], 1)).toBe(true);
  expect(state('after')('conversations').get()).toEqual(['mine']);
  expect(state('after')('runs').get()).toEqual(['mine']);
});

test('a window that is open elsewhere is not waited for', async () => {
  const { directory, state } = place();
  claimConnection(state('open'));
  rememberShown(state('open'), ['file:///a']);
  expect(await takeOverFromBefore(directory('another'), ['file:///a', 'file:///b'], 60_000)).toBe(false);
});

test('a window that is opened when nothing was ever remembered begins anew', async () => {
  const { directory } = place();
  expect(await takeOverFromBefore(directory('only'), ['file:///a'])).toBe(false);
});

function leave(kept: KeptState, folders: string[]): void {
  kept('window-id').set('w1');
  kept('grants').set(['run']);
  claimConnection(kept);
  rememberShown(kept, folders);
  rememberShown(kept, []);
  markReload(kept);
}

function place() {
  const root = mkdtempSync(join(tmpdir(), 'fairlead-before-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const directory = (name: string) => join(root, 'workspaces', name);
  const state = (name: string) =>
    keptIn(directory(name), (problem) => {
      throw new Error(problem);
    });
  return { directory, state };
}
