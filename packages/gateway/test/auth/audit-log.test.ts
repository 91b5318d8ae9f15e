import { mkdirSync, readFileSync, rmdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AuditLog } from '../../src/auth/audit-log.ts';
import { LineWriter } from '../../src/auth/line-writer.ts';
import { temporaryDirectory } from '../store/support/temporary-directory.ts';
import { openAuthPlace, sessionIds, spoiled } from './support/auth-place.ts';

const request = { method: 'GET', path: '/api/sessions', remoteAddress: '192.0.2.7' };

test('has a line for what was allowed and what was not', async () => {
  const { identifier, ann, sessionKeys, stateDir } = await openAuthPlace();
  const path = join(stateDir, 'audit.jsonl');
  const audit = new AuditLog(path, () => undefined);
  const sessionKey = sessionKeys.keyOf(sessionIds.ann);
  audit.record(request, await identifier.ofHeaders({ 'x-api-key': ann.key }));
  audit.record(request, await identifier.ofHeaders({ 'x-session-api-key': sessionKey }));
  audit.record(
    { ...request, remoteAddress: undefined },
    await identifier.ofHeaders({ 'x-api-key': spoiled(ann.key)[0] }),
  );
  audit.record({ ...request, method: 'POST' }, await identifier.ofHeaders({}));
  await audit.close();
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  const allow = { time, ...request, decision: 'allow', reason: null, owner: 'name of ann' };
  const deny = { time, ...request, decision: 'deny', by: null, owner: null };
  expect(lines(path)).toEqual([
    { ...allow, by: 'api-key', keyId: ann.keyId, sessionId: null },
    { ...allow, by: 'session-key', keyId: null, sessionId: sessionIds.ann },
    { ...deny, reason: 'unknown', keyId: ann.keyId, sessionId: null, remoteAddress: null },
    { ...deny, reason: 'missing', keyId: null, sessionId: null, method: 'POST' },
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('never has a secret, a query, or more than a line of somebody’s path', async () => {
  const { identifier, ann, sessionKeys, stateDir } = await openAuthPlace();
  const path = join(stateDir, 'audit.jsonl');
  const audit = new AuditLog(path, () => undefined);
  const outcome = await identifier.ofHeaders({ 'x-api-key': ann.key });
  const sessionKey = sessionKeys.keyOf(sessionIds.ann);
  const paths = [
    `/login?ticket=secret-ticket`,
    `/x/${ann.key}/y`,
    `/x/${sessionKey}`,
    `/x/${ann.key.replaceAll('_', '%5F')}`,
    `/x/${ann.key.slice(0, -10)}`,
    `/line\nbreak"${'x'.repeat(5000)}`,
  ];
  for (const each of paths) audit.record({ ...request, path: each }, outcome);
  await audit.close();
  const text = readFileSync(path, 'utf8');
  for (const secret of ['secret-ticket', ann.key.slice(-43, -20), sessionKey.slice(-43, -20)]) {
    expect(text).not.toContain(secret);
  }
  expect(lines(path).map((line) => line['path'])).toEqual([
    '/login',
    expect.stringMatching(`^/x/fl_${ann.keyId}_…/y$`),
    `/x/fs_${sessionIds.ann}_…`,
    expect.stringMatching(`^/x/fl%5F${ann.keyId}_…$`),
    `/x/fl_${ann.keyId}_…`,
    `/line\nbreak"${'x'.repeat(244)}`,
  ]);
});

test('is added to by a later process', async () => {
  const path = join(temporaryDirectory(), 'lines');
  for (const line of ['first', 'second']) {
    const writer = new LineWriter({ path, maximumFileBytes: 1000, log: () => undefined });
    writer.write(line);
    await writer.close();
  }
  expect(readFileSync(path, 'utf8')).toBe('first\nsecond\n');
});

test('is put aside when it grows too large, and one old file is kept', async () => {
  const path = join(temporaryDirectory(), 'lines');
  for (let n = 0; n < 5; n += 1) {
    const writer = new LineWriter({ path, maximumFileBytes: 100, log: () => undefined });
    writer.write(`${n}`.repeat(59));
    await writer.close();
  }
  expect([readFileSync(path, 'utf8'), readFileSync(`${path}.1`, 'utf8')]).toEqual([
    `${'4'.repeat(59)}\n`,
    `${'3'.repeat(59)}\n`,
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a full disk loses lines and nothing else, and is told once', async () => {
  const path = join(temporaryDirectory(), 'lines');
  symlinkSync('/dev/full', path);
  const { writer, logged, firstLogged } = startWriter(path);
  writer.write('lost');
  await firstLogged;
  writer.write('lost too');
  await writer.close();
  expect(logged).toEqual([
    expect.stringMatching(`^cannot write ${path}, its lines are lost until that works: ENOSPC`),
  ]);
});

test('goes on when the disk takes lines again, and tells how many are lost', async () => {
  const path = join(temporaryDirectory(), 'lines');
  mkdirSync(path);
  const { writer, logged, firstLogged } = startWriter(path);
  writer.write('lost');
  writer.write('lost too');
  await firstLogged;
  rmdirSync(path);
  writer.write('kept');
  await writer.close();
  expect(readFileSync(path, 'utf8').trim()).toBe('kept');
  expect(logged).toEqual([expect.stringContaining('EISDIR'), `2 lines of ${path} are lost`]);
});

test('a flood does not pile up in memory, and does not make anybody wait', async () => {
  const path = join(temporaryDirectory(), 'lines');
  const { writer, logged } = startWriter(path);
  for (let n = 0; n < 10_000; n += 1) writer.write('x'.repeat(999));
  await writer.close();
  const { size } = statSync(path);
  expect(size).toBe(Math.floor((4 * 1024 * 1024) / 1000) * 1000);
  expect(logged).toEqual([`${10_000 - size / 1000} lines of ${path} are lost`]);
});

function startWriter(path: string) {
  const logged: string[] = [];
  let onLog = () => undefined as void;
  const firstLogged = new Promise<void>((resolve) => (onLog = resolve));
  const log = (line: string) => {
    logged.push(line);
    onLog();
  };
  return { writer: new LineWriter({ path, maximumFileBytes: 1e9, log }), logged, firstLogged };
}

function lines(path: string): Record<string, unknown>[] {
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
