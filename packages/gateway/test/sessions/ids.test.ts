import { sessionIdPattern } from '@fairlead/protocol';
import { expect, test } from 'vitest';
import { newActionId, newSessionId } from '../../src/sessions/ids.ts';

test('ids fit everywhere, and do not repeat', () => {
  const ids = Array.from({ length: 2_000 }, newSessionId);
  for (const id of ids) expect(id).toMatch(sessionIdPattern);
  expect(new Set(ids).size).toBe(2_000);
  expect(newActionId()).toMatch(/^[a-z0-9]{24}$/);
});

test('every letter is as likely as the others', () => {
  const counts = new Map<string, number>();
  for (const letter of Array.from({ length: 5_000 }, () => newSessionId().slice(1)).join(''))
    counts.set(letter, (counts.get(letter) ?? 0) + 1);
  const expected = (5_000 * 19) / 36;
  expect(counts.size).toBe(36);
  for (const count of counts.values())
    expect(Math.abs(count - expected)).toBeLessThan(6 * Math.sqrt(expected));
});
