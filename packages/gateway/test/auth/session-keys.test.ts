import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SessionKeys } from '../../src/auth/session-keys.ts';
import { temporaryDirectory } from '../store/support/temporary-directory.ts';
import { sessionIds, spoiled } from './support/auth-place.ts';

test('the secret is made at the first start, private, and stays', () => {
  const stateDir = join(temporaryDirectory(), 'state');
  const key = SessionKeys.open(stateDir).keyOf(sessionIds.ann);
  const path = join(stateDir, 'secret');
  expect([statSync(path).mode & 0o777, statSync(path).size, statSync(stateDir).mode & 0o777]).toEqual([
    0o600, 32, 0o700,
  ]);
  chmodSync(path, 0o644);
  expect(SessionKeys.open(stateDir).keyOf(sessionIds.ann)).toBe(key);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(stateDir)).toEqual(['secret']);
});

test('a session’s key opens that session, and its text does not show the secret', () => {
  const stateDir = temporaryDirectory();
  const keys = SessionKeys.open(stateDir);
  const key = keys.keyOf(sessionIds.ann);
  expect(key).toMatch(/^fs_sann0000000000000001_[\w-]{43}$/);
  expect(key).not.toContain(readFileSync(join(stateDir, 'secret')).toString('base64url'));
  expect(keys.verify(key)).toEqual({ kind: 'verified', sessionId: sessionIds.ann });
});

test('a spoiled key, one for another session, and one of another gateway are refused', () => {
  const keys = SessionKeys.open(temporaryDirectory());
  const key = keys.keyOf(sessionIds.ann);
  for (const wrong of spoiled(key)) expect([wrong, keys.verify(wrong).kind]).toEqual([wrong, 'refused']);
  const unknown = { kind: 'refused', reason: 'unknown' };
  expect(keys.verify(key.replace(sessionIds.ann, sessionIds.bob))).toMatchObject(unknown);
  expect(SessionKeys.open(temporaryDirectory()).verify(key)).toMatchObject(unknown);
  expect(keys.verify('fs_')).toMatchObject({ kind: 'refused', reason: 'malformed' });
});

test('a secret of a wrong length is refused with the remedy', () => {
  const stateDir = temporaryDirectory();
  writeFileSync(join(stateDir, 'secret'), 'short');
  expect(() => SessionKeys.open(stateDir)).toThrow(
    `${join(stateDir, 'secret')} has 5 bytes instead of 32. Restore it, or remove it: then every session gets another key.`,
  );
});
