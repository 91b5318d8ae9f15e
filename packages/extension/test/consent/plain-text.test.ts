import { expect, test } from 'vitest';
import { fitsNotification, plainText } from '../../src/consent/plain-text.ts';

// How VS Code finds links in the text of a notification.
const linkOfVscode = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi;

test('a text of an agent cannot put a link of its own into a notification', () => {
  const text = 'echo [Run](command:fairlead.approval.accept) [x](https://example.org "y")';
  expect(text.match(linkOfVscode)).toHaveLength(2);
  expect(plainText(text).match(linkOfVscode)).toBeNull();
});

test('lines, control characters and marks that turn the direction of writing are made visible', () => {
  expect(plainText('echo a\necho b')).toBe('echo a ⏎ echo b');
  expect(plainText('rm \u202efdp.x\u202c \u001b[1m\u200d')).toBe('rm \\u202efdp.x\\u202c \\u001b[1m\\u200d');
  expect(plainText('r\u200bm')).toBe('r\\u200bm');
  expect(plainText('grüße 日本 👍\tx')).toBe('grüße 日本 👍\tx');
});

test('what is long or has many lines is not shown whole', () => {
  expect(fitsNotification('npm test')).toBe(true);
  expect(fitsNotification('x'.repeat(201))).toBe(false);
  expect(fitsNotification('a\nb\nc\nd')).toBe(false);
});
