import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { recover, refusalToRestart } from '../../src/sessions/recovery.ts';
import { liveSession } from './support/live-session.ts';

afterEach(() => void vi.useRealTimers());
const open = () => undefined;

test('a server that is started again by its supervisor is waited for, once for all who ask', async () => {
  let asked = 0;
  const session = liveSession({
    status: async () => 'running',
    isAlive: async () => (asked += 1) > 2,
  });
  const restart = vi.fn<() => Promise<void>>();
  const options = { restart, refuseWhenClosing: open };
  expect(await Promise.all([recover(session, options), recover(session, options)])).toEqual([true, true]);
  expect(asked).toBe(3);
  expect(restart).not.toHaveBeenCalled();
});

test('a sandbox that is gone is started again, and asked again', async () => {
  let status: 'gone' | 'running' = 'gone';
  const session = liveSession({ status: async () => status, isAlive: async () => true });
  const reasons: string[] = [];
  const restart = async (_session: unknown, why: string) => {
    reasons.push(why);
    status = 'running';
  };
  expect(await recover(session, { restart, refuseWhenClosing: open })).toBe(true);
  expect(reasons).toEqual(['its sandbox ended']);
});

test('a sandbox that does not answer is started again after a quarter of a minute', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let isAlive = false;
  const session = liveSession({ status: async () => 'running', isAlive: async () => isAlive });
  const reasons: string[] = [];
  const restart = async (_session: unknown, why: string) => {
    reasons.push(why);
    isAlive = true;
  };
  const recovering = recover(session, { restart, refuseWhenClosing: open });
  vi.advanceTimersByTime(14_000);
  await delay(60);
  expect(reasons).toEqual([]);
  vi.advanceTimersByTime(2_000);
  expect(await recovering).toBe(true);
  expect(reasons).toEqual(['its sandbox did not answer']);
});

test('a paused session is left alone until it goes on or ends', async () => {
  const status = vi.fn(async () => 'running' as const);
  const session = liveSession({ status, isAlive: async () => true });
  session.change({ ...session.record, state: 'paused' });
  const recovering = recover(session, { restart: async () => undefined, refuseWhenClosing: open });
  await delay(60);
  expect(status).not.toHaveBeenCalled();
  session.change({ ...session.record, state: 'running' });
  expect(await recovering).toBe(true);

  session.change({ ...session.record, state: 'paused' });
  const ending = recover(session, { restart: async () => undefined, refuseWhenClosing: open });
  session.letGo();
  expect(await ending).toBe(false);
});

test('a gateway that is closing does not take a session for ended', async () => {
  const session = liveSession({ status: async () => 'running', isAlive: async () => false });
  let isClosing = false;
  const recovering = recover(session, {
    restart: async () => undefined,
    refuseWhenClosing() {
      if (isClosing) throw new Error('closing');
    },
  });
  const refused = expect(recovering).rejects.toThrow('closing');
  isClosing = true;
  session.letGo();
  await refused;
});

test('five starts within a minute are allowed', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const session = liveSession({});
  for (let round = 0; round < 5; round += 1) expect(refusalToRestart(session)).toBeUndefined();
  expect(refusalToRestart(session)).toBe('6 times within a minute');
  vi.advanceTimersByTime(61_000);
  expect(refusalToRestart(session)).toBeUndefined();
});

test('a window that is away is waited for as long as its driver does, and never started again', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let status: 'away' | 'running' = 'away';
  const session = liveSession({ status: async () => status, isAlive: async () => true });
  const restart = vi.fn<() => Promise<void>>();
  const recovering = recover(session, { restart, refuseWhenClosing: open });
  vi.advanceTimersByTime(600_000);
  await delay(60);
  status = 'running';
  expect(await recovering).toBe(true);
  expect(restart).not.toHaveBeenCalled();
});

test('a window that does not answer is not ours to start again', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let isAlive = false;
  const session = liveSession({ status: async () => 'running', isAlive: async () => isAlive });
  session.change({ ...session.record, windowId: 'a-window' });
  const restart = vi.fn<() => Promise<void>>();
  const recovering = recover(session, { restart, refuseWhenClosing: open });
  vi.advanceTimersByTime(600_000);
  await delay(60);
  isAlive = true;
  expect(await recovering).toBe(true);
  expect(restart).not.toHaveBeenCalled();
});
