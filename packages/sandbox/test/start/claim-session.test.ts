import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claimSession } from '../../src/start/claim-session.ts';

const env = { PATH: process.env['PATH'] ?? '' };
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fairlead-claim-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('the same workspace and key find the session as it was left', async () => {
  await claimSession(directory, { workspace: '/one', key: 'k' }, env);
  writeFileSync(join(directory, 'journal.jsonl'), 'kept');
  await claimSession(directory, { workspace: '/one', key: 'k' }, env);
  expect(existsSync(join(directory, 'journal.jsonl'))).toBe(true);
});

test.each([
  ['workspace', { workspace: '/two', key: 'k' }],
  ['key', { workspace: '/one', key: 'other' }],
])('another %s starts afresh, and keeps the lock', async (_what, owner) => {
  await claimSession(directory, { workspace: '/one', key: 'k' }, env);
  writeFileSync(join(directory, 'journal.jsonl'), 'somebody else’s');
  writeFileSync(join(directory, 'server.pid'), '1 1');
  await claimSession(directory, owner, env);
  expect(existsSync(join(directory, 'journal.jsonl'))).toBe(false);
  expect(existsSync(join(directory, 'server.pid'))).toBe(true);
});
