import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchDeadline } from '../../src/sessions/deadline.ts';
import { liveSession } from './support/live-session.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('an action is given up half a minute after its deadline', () => {
  const { signal } = watchDeadline(liveSession({}), { timeout: 10 });
  vi.advanceTimersByTime(39_999);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal.aborted).toBe(true);
});

test('an action without a deadline is never given up', () => {
  const { signal } = watchDeadline(liveSession({}), {});
  expect(vi.getTimerCount()).toBe(0);
  expect(signal.aborted).toBe(false);
});

test('an action is not given up while its session is paused, and has half a minute when that goes on', () => {
  const session = liveSession({});
  const { signal } = watchDeadline(session, { timeout: 10 });
  session.change({ ...session.record, state: 'paused' });
  vi.advanceTimersByTime(3_600_000);
  expect(signal.aborted).toBe(false);
  session.change({ ...session.record, state: 'running' });
  vi.advanceTimersByTime(29_000);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(31_000);
  expect(signal.aborted).toBe(true);
});

test('an action that has ended leaves no timer', () => {
  watchDeadline(liveSession({}), { timeout: 10 }).close();
  expect(vi.getTimerCount()).toBe(0);
});
