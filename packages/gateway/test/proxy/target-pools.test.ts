import { afterEach, expect, it, vi } from 'vitest';
import { diedPage } from '../../src/proxy/pages/failure-pages.ts';
import type { ProxyTarget } from '../../src/proxy/target.ts';
import { TargetPools } from '../../src/proxy/target-pools.ts';

afterEach(() => void vi.useRealTimers());

it('keeps the connections of a target for as long as it is visited, and no longer', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const pools = new TargetPools();
  const [one, other] = [target('one'), target('other')];
  const first = pools.of(one);
  const second = pools.of(other);
  expect(pools.of(one)).toBe(first);
  expect(second).not.toBe(first);
  for (let minute = 0; minute < 3; minute += 1) {
    vi.advanceTimersByTime(25_000);
    expect(pools.of(one)).toBe(first);
  }
  expect(first.closed).toBe(false);
  expect(second.closed).toBe(true);
  expect(pools.of(other)).not.toBe(second);
  await pools.close();
  expect(first.destroyed).toBe(true);
});

function target(key: string): ProxyTarget {
  const connect = () => Promise.reject(new Error('nobody connects'));
  return { sessionId: key, key, connect, absentPage: diedPage, touch: () => undefined };
}
