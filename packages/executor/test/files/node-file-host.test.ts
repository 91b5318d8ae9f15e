import { execFileSync } from 'node:child_process';
import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NodeFileHost } from '../../src/files/index.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { giveAway, isRoot, unprivileged } from './unprivileged.ts';

const bytes = (text: string) => Buffer.from(text);

describe('a write', () => {
  test('keeps the mode of a file and makes new ones 0664', async () => {
    const directory = await temporaryDirectory();
    const host = new NodeFileHost();
    await writeFile(`${directory}/script`, 'old');
    await chmod(`${directory}/script`, 0o2751);
    await host.writeFile(`${directory}/script`, bytes('new'));
    await host.writeFile(`${directory}/fresh`, bytes('new'));
    expect((await stat(`${directory}/script`)).mode & 0o7777).toBe(0o2751);
    expect((await stat(`${directory}/fresh`)).mode & 0o7777).toBe(0o664);
    expect((await readdir(directory)).sort()).toEqual(['fresh', 'script']);
  });

  test.skipIf(!isRoot)(
    'as root keeps the owner, and gives new files and directories to the given one (needs root)',
    async () => {
      const directory = await temporaryDirectory();
      const host = new NodeFileHost({ owner: { uid: 1234, gid: 1235 } });
      await writeFile(`${directory}/theirs`, 'old');
      await chown(`${directory}/theirs`, 4321, 4322);
      await host.writeFile(`${directory}/theirs`, bytes('new'));
      await host.writeFile(`${directory}/a/b/c`, bytes('new'), { createParents: true });
      const owners = await Promise.all(
        ['theirs', 'a', 'a/b', 'a/b/c'].map((name) => stat(`${directory}/${name}`)),
      );
      expect(owners.map(({ uid, gid }) => [uid, gid])).toEqual([
        [4321, 4322],
        [1234, 1235],
        [1234, 1235],
        [1234, 1235],
      ]);
    },
  );

  test('through a link replaces what it leads to, also when that is not there yet', async () => {
    const directory = await temporaryDirectory();
    const host = new NodeFileHost();
    await mkdir(`${directory}/real`);
    await writeFile(`${directory}/real/f`, 'old');
    await symlink('real', `${directory}/dir`);
    await symlink('dir/f', `${directory}/link`);
    await symlink('dir/new', `${directory}/dangling`);
    await host.writeFile(`${directory}/link`, bytes('new'));
    await host.writeFile(`${directory}/dangling`, bytes('newer'));
    expect(await readFile(`${directory}/real/f`, 'utf8')).toBe('new');
    expect(await readFile(`${directory}/real/new`, 'utf8')).toBe('newer');
    expect((await lstat(`${directory}/link`)).isSymbolicLink()).toBe(true);
    expect((await lstat(`${directory}/dangling`)).isSymbolicLink()).toBe(true);
  });

  test('keeps both names of a hard link the same file', async () => {
    const directory = await temporaryDirectory();
    await writeFile(`${directory}/one`, 'a longer old text');
    await link(`${directory}/one`, `${directory}/two`);
    await new NodeFileHost().writeFile(`${directory}/one`, bytes('new'));
    expect(await readFile(`${directory}/two`, 'utf8')).toBe('new');
    expect((await stat(`${directory}/two`)).nlink).toBe(2);
  });

  test('to a pipe, a directory, a circle of links or nowhere is refused at once', async () => {
    const directory = await temporaryDirectory();
    const host = new NodeFileHost();
    execFileSync('mkfifo', [`${directory}/pipe`]);
    await symlink('b', `${directory}/a`);
    await symlink('a', `${directory}/b`);
    await symlink('pipe', `${directory}/to-pipe`);
    const codes = await Promise.all(
      ['pipe', 'to-pipe', '', 'a', 'none/f', 'x'.repeat(256), 'pipe/x', 'nul\0'].map((name) =>
        host.writeFile(`${directory}/${name}`, bytes('x')).catch((error: { code: string }) => error.code),
      ),
    );
    expect(codes).toEqual([
      'special-file',
      'special-file',
      'is-directory',
      'too-many-links',
      'not-found',
      'name-too-long',
      'not-directory',
      'bad-name',
    ]);
    expect((await readdir(directory)).sort()).toEqual(['a', 'b', 'pipe', 'to-pipe']);
  });

  test.skipIf(!isRoot)('that does not fit leaves the old file and nothing else (needs root)', async () => {
    const directory = await temporaryDirectory();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', directory]);
    onTestFinished(() => void execFileSync('umount', [directory]));
    const host = new NodeFileHost();
    await writeFile(`${directory}/f`, 'old');
    await writeFile(`${directory}/linked`, 'old');
    await link(`${directory}/linked`, `${directory}/again`);
    for (const name of ['f', 'linked', 'new'])
      await expect(host.writeFile(`${directory}/${name}`, Buffer.alloc(100_000))).rejects.toMatchObject({
        name: 'FileError',
        code: 'no-space',
        message: expect.stringContaining('No space left on device'),
      });
    expect((await readdir(directory)).sort()).toEqual(['again', 'f', 'linked']);
    expect(await readFile(`${directory}/f`, 'utf8')).toBe('old');
    expect(await readFile(`${directory}/again`, 'utf8')).toBe('old');
    await host.writeFile(`${directory}/f`, bytes('new'));
    expect(await readFile(`${directory}/f`, 'utf8')).toBe('new');
  });

  test.skipIf(!isRoot)('to a file mounted alone goes into that file (needs root)', async () => {
    const directory = await temporaryDirectory();
    await writeFile(`${directory}/outside`, 'old');
    await writeFile(`${directory}/inside`, '');
    execFileSync('mount', ['--bind', `${directory}/outside`, `${directory}/inside`]);
    onTestFinished(() => void execFileSync('umount', [`${directory}/inside`]));
    await new NodeFileHost().writeFile(`${directory}/inside`, bytes('new'));
    expect(await readFile(`${directory}/outside`, 'utf8')).toBe('new');
    expect((await readdir(directory)).sort()).toEqual(['inside', 'outside']);
  });

  test('is never seen half done by a reader', async () => {
    const directory = await temporaryDirectory();
    const host = new NodeFileHost();
    const path = `${directory}/f`;
    const contents = ['a', 'b'].map((letter) => Buffer.alloc(300_000, letter));
    await host.writeFile(path, contents[0]!);
    let writing = true;
    const writer = (async () => {
      for (let turn = 0; turn < 30; turn++) await host.writeFile(path, contents[turn % 2]!);
      writing = false;
    })();
    while (writing) {
      const seen = Buffer.from(await host.readFile(path));
      expect(contents.some((content) => content.equals(seen))).toBe(true);
    }
    await writer;
  });
});

describe('without permission', () => {
  const denied = (path: string) => [
    'FileError',
    'no-permission',
    `Permission denied: ${path}. Choose another path, or change its mode or owner in the shell.`,
  ];

  test('nothing is read, written, listed or made', async () => {
    const directory = await temporaryDirectory();
    await chmod(directory, 0o755);
    await mkdir(`${directory}/closed`);
    await writeFile(`${directory}/secret`, 'old');
    await chmod(`${directory}/secret`, 0o000);
    await chmod(`${directory}/closed`, 0o000);
    giveAway(`${directory}/closed`);
    if (!isRoot) await chmod(directory, 0o555);
    const answers = unprivileged(
      directory,
      `return Promise.all([
        host.readFile(path + '/secret'), host.writeFile(path + '/secret', Buffer.from('x')),
        host.list(path + '/closed'), host.writeFile(path + '/new', Buffer.from('x')),
        host.stat(path + '/closed/x'), zipPath(path + '/closed'), zipPath(path + '/secret'),
      ].map((work) => work.catch(told)))`,
    );
    await chmod(directory, 0o755);
    const names = ['secret', 'secret', 'closed', 'new', 'closed/x', 'closed', 'secret'];
    expect(answers).toEqual(names.map((name) => denied(`${directory}/${name}`)));
    expect((await readdir(directory)).sort()).toEqual(['closed', 'secret']);
  });

  test('a file that may be written is, in a directory that may not be', async () => {
    const directory = await temporaryDirectory();
    await writeFile(`${directory}/f`, 'old');
    await chmod(`${directory}/f`, 0o666);
    await chmod(directory, 0o555);
    unprivileged(directory, `await host.writeFile(path + '/f', Buffer.from('new')); return null`);
    await chmod(directory, 0o755);
    expect(await readFile(`${directory}/f`, 'utf8')).toBe('new');
    expect((await stat(`${directory}/f`)).uid).toBe(process.getuid?.());
  });

  test("a read-only file in a directory of one's own is not replaced", async () => {
    const directory = await temporaryDirectory();
    await writeFile(`${directory}/f`, 'old');
    await chmod(`${directory}/f`, 0o444);
    giveAway(directory);
    giveAway(`${directory}/f`);
    expect(
      unprivileged(`${directory}/f`, `return host.writeFile(path, Buffer.from('x')).catch(told)`),
    ).toEqual(denied(`${directory}/f`));
    expect(await readFile(`${directory}/f`, 'utf8')).toBe('old');
  });
});

test('a read stops at its limit', async () => {
  const directory = await temporaryDirectory();
  const host = new NodeFileHost();
  await writeFile(`${directory}/f`, 'x'.repeat(50_000));
  expect((await host.readFile(`${directory}/f`, 20_000)).length).toBe(20_000);
  expect((await host.readFile(`${directory}/f`)).length).toBe(50_000);
});

test('a list tells what links lead to', async () => {
  const directory = await temporaryDirectory();
  await mkdir(`${directory}/d`);
  await writeFile(`${directory}/f`, '');
  execFileSync('mkfifo', [`${directory}/p`]);
  await symlink('d', `${directory}/ld`);
  await symlink('f', `${directory}/lf`);
  await symlink('none', `${directory}/lb`);
  const entries = await new NodeFileHost().list(directory);
  expect(Object.fromEntries(entries.map(({ name, kind }) => [name, kind]))).toEqual({
    d: 'directory',
    f: 'file',
    p: 'other',
    ld: 'directory',
    lf: 'file',
    lb: 'broken',
  });
});
