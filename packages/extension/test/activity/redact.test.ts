import { expect, test } from 'vitest';
import { redact } from '../../src/activity/redact.ts';

test.each([
  ['export API_KEY=abc123', 'export API_KEY=[redacted]'],
  ['DB_PASSWORD="two words" npm start', 'DB_PASSWORD=[redacted] npm start'],
  ['curl -H "Authorization: Bearer abcdefghijk" x', 'curl -H "Authorization: Bearer [redacted]" x'],
  ['git clone https://ann:hunter2@example.org/x', 'git clone https://ann:[redacted]@example.org/x'],
  ['mysql --password hunter2 -u ann', 'mysql --password [redacted] -u ann'],
  ['{"client_secret": "s3cr3t", "id": 1}', '{"client_secret": [redacted], "id": 1}'],
  ['use ghp_0123456789abcdefghij now', 'use [redacted] now'],
  ['AKIAIOSFODNN7EXAMPLE', '[redacted]'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc', '[redacted]'],
  ['a\n-----BEGIN RSA PRIVATE KEY-----\nxx\n-----END RSA PRIVATE KEY-----\nb', 'a\n[redacted]\nb'],
])('hides the secret in %j', (text, clean) => {
  expect(redact(text)).toBe(clean);
});

test.each([
  'npm test -- --token-count 5',
  'grep -rn password src',
  'git clone https://example.org/token/x.git',
  'echo "the secret of good soup"',
  'ssh git@example.org',
])('leaves %j as it is', (text) => {
  expect(redact(text)).toBe(text);
});
