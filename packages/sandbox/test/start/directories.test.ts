import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prepareSessionDir } from '../../src/start/session-dir.ts';
import { lockSession } from '../../src/start/session-lock.ts';
import { resolveUser } from '../../src/start/user.ts';
import { prepareWorkingDir } from '../../src/start/working-dir.ts';
import { temporaryDirectory } from '../support/test-server.ts';

const isRoot = process.getuid?.() === 0;

test('the session directory follows user and port, and is private', async () => {
  const runtimeDir = await temporaryDirectory();
  const request = { given: undefined, port: 3000, runtimeDir, hasOtherUser: false };
  const { path, goesWithServer } = prepareSessionDir(request);
  expect([path, goesWithServer]).toEqual([join(runtimeDir, `fairlead-${process.getuid?.()}`, '3000'), true]);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  chmodSync(path, 0o755);
  expect(prepareSessionDir(request).path).toBe(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  prepareSessionDir({ ...request, given: path, hasOtherUser: true });
  expect(statSync(path).mode & 0o777).toBe(0o711);
});

test('any free port gets a directory of its own each time', async () => {
  const request = { given: undefined, port: 0, runtimeDir: await temporaryDirectory(), hasOtherUser: false };
  const [first, second] = [prepareSessionDir(request), prepareSessionDir(request)];
  expect(first.path).not.toBe(second.path);
  expect([first.goesWithServer, second.goesWithServer]).toEqual([true, true]);
});

test('a link or a file where the session directory should be is refused', async () => {
  const runtimeDir = await temporaryDirectory();
  const elsewhere = await temporaryDirectory();
  symlinkSync(elsewhere, join(runtimeDir, `fairlead-${process.getuid?.()}`));
  expect(() => prepareSessionDir({ given: undefined, port: 1, runtimeDir, hasOtherUser: false })).toThrow(
    'is a file or a link',
  );
  writeFileSync(join(elsewhere, 'file'), '');
  expect(() =>
    prepareSessionDir({ given: join(elsewhere, 'file'), port: 1, runtimeDir, hasOtherUser: false }),
  ).toThrow('is a file');
  expect(() =>
    prepareSessionDir({ given: join(elsewhere, 'file/x'), port: 1, runtimeDir, hasOtherUser: false }),
  ).toThrow('Cannot use');
});

test.runIf(isRoot)("a session directory of somebody else's is refused", async () => {
  const { chownSync } = await import('node:fs');
  const given = await temporaryDirectory();
  chownSync(given, 12345, 12345);
  expect(() => prepareSessionDir({ given, port: 1, runtimeDir: undefined, hasOtherUser: false })).toThrow(
    'belongs to user id 12345',
  );
});

test('a session has one server; the lock of a dead one is taken over', async () => {
  const directory = await temporaryDirectory();
  const unlock = lockSession(directory);
  expect(() => lockSession(directory)).toThrow(`in use by the server with process id ${process.pid}`);
  unlock();
  const path = join(directory, 'server.pid');
  expect(existsSync(path)).toBe(false);
  const dead = spawn('true');
  await new Promise((resolve) => dead.on('exit', resolve));
  for (const stale of [`${dead.pid} 1`, `${process.pid} 1`, '', 'x']) {
    writeFileSync(path, stale);
    lockSession(directory)();
  }
  lockSession(directory);
  expect(readFileSync(path, 'utf8')).toMatch(new RegExp(`^${process.pid} \\d+$`));
});

test('the working directory is made, and resolved', async () => {
  const base = await temporaryDirectory();
  mkdirSync(join(base, 'real'));
  symlinkSync(join(base, 'real'), join(base, 'link'));
  expect(prepareWorkingDir(join(base, 'link'), undefined, 'root')).toBe(join(base, 'real'));
  expect(prepareWorkingDir(join(base, 'a/b'), undefined, 'root')).toBe(join(base, 'a/b'));
  expect(statSync(join(base, 'a/b')).mode & 0o777).toBe(0o775);
  writeFileSync(join(base, 'file'), '');
  expect(() => prepareWorkingDir(join(base, 'file'), undefined, 'root')).toThrow(
    'is a file, not a directory',
  );
  expect(() => prepareWorkingDir(join(base, 'file/x'), undefined, 'root')).toThrow(
    'Cannot use --working-dir',
  );
});

test.runIf(isRoot)('the working directory is given to the user, its content is not', async () => {
  const base = await temporaryDirectory();
  writeFileSync(join(base, 'mine'), '');
  const nobody = resolveUser({ username: 'nobody', userId: 1, isSwitchingUser: true, log: () => undefined });
  expect(nobody).toMatchObject({ name: 'nobody', home: expect.any(String) });
  prepareWorkingDir(base, nobody, 'root');
  expect([statSync(base).uid, statSync(base).gid]).toEqual([nobody!.uid, 0]);
  expect(statSync(join(base, 'mine')).uid).toBe(0);
  expect(() => prepareWorkingDir(base, nobody, 'no-such-group')).toThrow('SANDBOX_GROUP_ID');
});

test('users', () => {
  const log = () => undefined;
  const request = { userId: 1000, isSwitchingUser: true, log };
  expect(resolveUser({ ...request, username: undefined })).toBeUndefined();
  expect(resolveUser({ ...request, username: 'nobody', isSwitchingUser: false })).toBeUndefined();
  expect(() => resolveUser({ ...request, username: '-rf' })).toThrow('--username "-rf" is not a user name');
});
