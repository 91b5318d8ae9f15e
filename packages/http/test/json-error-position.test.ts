import { expect, test } from 'vitest';
import { jsonErrorPosition } from '../src/json-error-position.ts';

test.each([
  ['{"a": "b\\x"}', 6],
  ['{"a": "b\\u12g4"}', 6],
  ['{"a": "line\nbreak"}', 6],
  ['{"a": "b" "c"}', 10],
  ['{"a": "\\"\\\\\\u00e9"} x', 20],
  ['{a": 1}', 1],
])('%j stops being JSON at %i', (text, position) => {
  expect(jsonErrorPosition(text)).toBe(position);
});

test('a string of many megabytes that never ends is found', () => {
  expect(jsonErrorPosition(`{"a":"${'x'.repeat(20_000_000)}`)).toBe(5);
  expect(jsonErrorPosition(`{"a":"${'\\n'.repeat(10_000_000)}`)).toBe(5);
});
