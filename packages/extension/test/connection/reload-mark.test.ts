import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  claimConnection,
  giveUpConnection,
  markReload,
  whatWasBefore,
} from '../../src/connection/reload-mark.ts';
import type { KeptState } from '../../src/kept.ts';
import { keptInMemory } from '../support/kept-in-memory.ts';

test('a window that ended connected a moment ago is being loaded anew, which is told once', async () => {
  const kept = state();
  claimConnection(kept);
  markReload(kept);
  expect(await whatWasBefore(kept)).toBe('reloaded');
  expect(await whatWasBefore(kept)).toBe('nothing');
});

test('one that ended longer ago, or was not connected, is opened', async () => {
  const kept = state();
  claimConnection(kept);
  giveUpConnection(kept);
  expect(await whatWasBefore(kept)).toBe('nothing');
  markReload(kept);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
  onTestFinished(() => void vi.useRealTimers());
  expect(await whatWasBefore(kept)).toBe('nothing');
});

test('who begins before the extension host of before has ended waits for it', async () => {
  const kept = state();
  const other = spawn('sleep', ['60']);
  onTestFinished(() => void other.kill());
  await once(other, 'spawn');
  kept('connected').set(other.pid);
  const before = whatWasBefore(kept);
  kept('was-connected').set(Date.now());
  kept('connected').set(undefined);
  expect(await before).toBe('reloaded');
});

test('the claim of a process that is gone is none', async () => {
  const kept = state();
  const other = spawn('true');
  await once(other, 'exit');
  kept('connected').set(other.pid);
  expect(await whatWasBefore(kept)).toBe('nothing');
});

test('a window that the user has connected meanwhile is left alone', async () => {
  const kept = state();
  claimConnection(kept);
  expect(await whatWasBefore(kept)).toBe('connected');
});

test('nobody gives up what another has claimed', () => {
  const kept = state();
  kept('connected').set(1);
  giveUpConnection(kept);
  expect(kept('connected').get()).toBe(1);
});

function state(): KeptState {
  const all = new Map<string, ReturnType<typeof keptInMemory>>();
  return (name) => {
    const kept = all.get(name) ?? keptInMemory();
    all.set(name, kept);
    return kept;
  };
}
