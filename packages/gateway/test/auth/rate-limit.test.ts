import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressBucket, failureLimits, RateLimit, requestLimits } from '../../src/auth/rate-limit.ts';

describe('a rate limit', () => {
  test('grants a burst, then so many in each second', () => {
    const { limit, clock } = start({ perSecond: 10, burst: 5 });
    expect(take(limit, 'a', 5)).toEqual([0, 0, 0, 0, 0]);
    expect(limit.take('a')).toBe(1);
    clock.nowMs += 99;
    expect(limit.take('a')).toBe(1);
    clock.nowMs += 1;
    expect(take(limit, 'a', 2)).toEqual([0, 1]);
    clock.nowMs += 60_000;
    expect(take(limit, 'a', 6)).toEqual([0, 0, 0, 0, 0, 1]);
  });

  test('tells how many seconds to wait, and grants then', () => {
    const { limit, clock } = start({ perSecond: 0.25, burst: 1 });
    expect(take(limit, 'a', 2)).toEqual([0, 4]);
    clock.nowMs += 1000;
    expect(limit.take('a')).toBe(3);
    clock.nowMs += 3000;
    expect(limit.take('a')).toBe(0);
  });

  test('counts each name alone', () => {
    const { limit } = start({ perSecond: 1, burst: 1 });
    expect([limit.take('a'), limit.take('b'), limit.take('a')]).toEqual([0, 0, 1]);
  });

  test('never grants more than its burst and its rate allow, whatever the pauses', () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 200 });
    fc.assert(
      fc.property(pauses, (pausesMs) => {
        const { limit, clock } = start({ perSecond: 5, burst: 7 });
        const startMs = clock.nowMs;
        let granted = 0;
        for (const pauseMs of pausesMs) {
          clock.nowMs += pauseMs;
          if (limit.take('a') === 0) granted += 1;
        }
        expect(granted).toBeLessThanOrEqual(7 + ((clock.nowMs - startMs) / 1000) * 5 + 1e-6);
      }),
    );
  });

  test('keeps some thousand buckets, the last used ones', () => {
    const { limit } = start({ perSecond: 1, burst: 1 });
    limit.take('often');
    for (let n = 0; n < 10_000; n += 1) {
      limit.take(`address ${n}`);
      limit.take('often');
    }
    expect(limit.size).toBe(4096);
    expect([limit.take('often'), limit.take('address 9999')]).toEqual([1, 1]);
  });

  test('has room for a busy client, and little for one who guesses', () => {
    expect(requestLimits).toEqual({ perSecond: 2000, burst: 4000 });
    expect(failureLimits).toEqual({ perSecond: 10, burst: 50 });
  });
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  [undefined, 'unknown'],
])('the address %s is counted as %s', (address, bucket) => {
  expect(addressBucket(address)).toBe(bucket);
});

function start(limits: { perSecond: number; burst: number }) {
  const clock = { nowMs: 1000 };
  return { clock, limit: new RateLimit(limits, () => clock.nowMs) };
}

function take(limit: RateLimit, name: string, times: number): number[] {
  return Array.from({ length: times }, () => limit.take(name));
}
