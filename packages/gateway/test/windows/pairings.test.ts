import { expect, test } from 'vitest';
import { Pairings } from '../../src/windows/pairings.ts';

const grant = { ownerId: 'ann', keyId: 'key' };
const tenMinutesMs = 600_000;

test('a code is good once', () => {
  const pairings = new Pairings();
  const { code } = pairings.issue(grant);
  expect(pairings.redeem('made-up')).toBeUndefined();
  expect(pairings.redeem(code)).toEqual(grant);
  expect(pairings.redeem(code)).toBeUndefined();
});

test('a code is good for ten minutes', () => {
  const pairings = new Pairings();
  const [early, late] = [pairings.issue(grant, 1000), pairings.issue(grant, 1000)];
  expect(early.expiresAtMs).toBe(1000 + tenMinutesMs);
  expect(pairings.redeem(early.code, 1000 + tenMinutesMs - 1)).toEqual(grant);
  expect(pairings.redeem(late.code, 1000 + tenMinutesMs)).toBeUndefined();
});

test('who asks for very many loses the oldest, and nobody else does', () => {
  const pairings = new Pairings();
  const other = pairings.issue({ ownerId: 'bob', keyId: null });
  const codes = Array.from({ length: 101 }, () => pairings.issue(grant).code);
  expect(pairings.redeem(codes[0]!)).toBeUndefined();
  expect(pairings.redeem(codes[1]!)).toEqual(grant);
  expect(pairings.redeem(other.code)).toBeDefined();
});
