import { expect, test } from 'vitest';
import { cutToSize, truncationNotice } from '../src/shell/texts.ts';

test('text is counted and cut in whole characters', () => {
  const text = `a${'😀'.repeat(30_000)}`;
  expect(cutToSize(text)).toBe(`a${'😀'.repeat(14_999)}${truncationNotice}${'😀'.repeat(15_000)}`);
});

test('30,000 characters are not cut, however they are encoded', () => {
  for (const text of ['😀'.repeat(30_000), 'x'.repeat(30_000)]) expect(cutToSize(text)).toBe(text);
});

test('one more is', () => {
  const text = `${'x'.repeat(15_000)}-${'y'.repeat(15_000)}`;
  expect(cutToSize(text)).toBe(`${'x'.repeat(15_000)}${truncationNotice}${'y'.repeat(15_000)}`);
});
