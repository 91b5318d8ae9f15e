import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Slots, Turns } from '../../src/sessions/turns.ts';

test('turns come one at a time, in order, whether the one before worked or not', async () => {
  const turns = new Turns();
  const log: string[] = [];
  const work = (name: string) => async () => {
    log.push(`${name} begins`);
    await nextTurn();
    log.push(`${name} ends`);
    if (name === 'b') throw new Error('b failed');
    return name;
  };
  const all = await Promise.allSettled(['a', 'b', 'c'].map((name) => turns.take(work(name))));
  expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('slots are used by so many at a time, and given back also by those who fail', async () => {
  const slots = new Slots(2);
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await nextTurn();
    inside -= 1;
    throw new Error('failed');
  };
  await Promise.allSettled(Array.from({ length: 7 }, () => slots.use(work)));
  expect(most).toBe(2);
  expect(await slots.use(() => Promise.resolve('free'))).toBe('free');
});
