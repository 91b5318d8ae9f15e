import fc from 'fast-check';
import {
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { unpackZip, zipPath } from '../../src/files/index.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { isRoot } from './unprivileged.ts';
import { pack, packAll, type PackedEntry, save } from './zips.ts';

async function place() {
  const directory = await temporaryDirectory();
  const destination = `${directory}/out`;
  await mkdir(destination);
  const zip = `${directory}/a.zip`;
  return {
    directory,
    destination,
    zip,
    unpack: async (entries: PackedEntry[]) => {
      pack(zip, entries);
      await unpackZip(zip, destination);
    },
  };
}

describe('unpacking', { tags: ['python3'] }, () => {
  test('brings files, modes, empty directories and links', async () => {
    const { destination, unpack } = await place();
    await unpack([
      { name: 'plain.txt', content: 'plain' },
      { name: 'deep/er/run.sh', content: '#!', mode: 0o100755, deflated: true },
      { name: 'empty/', mode: 0o040555 },
      { name: 'empty/late', content: 'in a read-only directory', mode: 0o104644 },
      { name: 'deep/link', content: '../plain.txt', mode: 0o120777 },
      { name: './dot//double', content: 'x' },
      { name: 'имя 😀', content: 'unicode' },
    ]);
    expect((await readdir(destination, { recursive: true })).sort()).toEqual([
      'deep',
      'deep/er',
      'deep/er/run.sh',
      'deep/link',
      'dot',
      'dot/double',
      'empty',
      'empty/late',
      'plain.txt',
      'имя 😀',
    ]);
    const mode = async (name: string) => (await stat(`${destination}/${name}`)).mode & 0o7777;
    expect(await mode('deep/er/run.sh')).toBe(0o755);
    expect(await mode('plain.txt')).toBe(0o664);
    expect(await mode('empty')).toBe(0o555);
    expect(await mode('empty/late')).toBe(0o644);
    expect(await readlink(`${destination}/deep/link`)).toBe('../plain.txt');
    expect(await readFile(`${destination}/deep/link`, 'utf8')).toBe('plain');
  });

  const link = 0o120777;
  test.each<[string, PackedEntry[]]>([
    ['a parent', [{ name: '../evil' }]],
    ['a parent further in', [{ name: 'a/../../evil' }]],
    ['a step back that stays inside', [{ name: 'a/../b' }]],
    ['an absolute path', [{ name: '/tmp/evil' }]],
    ['a drive', [{ name: 'C:/evil' }]],
    ['a backslash', [{ name: '..\\evil' }]],
    ['a link out', [{ name: 'l', content: '..', mode: link }]],
    ['a link to an absolute path', [{ name: 'l', content: '/etc', mode: link }]],
    ['a link that goes down and up again', [{ name: 'd/l', content: 'x/../..', mode: link }]],
    ['a link to nothing', [{ name: 'l', content: '', mode: link }]],
    ['a file through a link of its own', [{ name: 'l', content: 'd', mode: link }, { name: 'l/evil' }]],
    ['the same the other way round', [{ name: 'l/evil' }, { name: 'l', content: 'd', mode: link }]],
    ['a link over a file', [{ name: 'f' }, { name: 'f', content: 'd', mode: link }]],
    ['a file through a link on disk', [{ name: 'planted/evil' }]],
    ['a directory that is a link on disk', [{ name: 'planted/' }]],
    ['a link through a link on disk', [{ name: 'planted/l', content: 'x', mode: link }]],
    ['a device', [{ name: 'tty', mode: 0o020666 }]],
  ])('refuses %s before anything is written', async (_, entries) => {
    const { directory, destination, unpack } = await place();
    await mkdir(`${directory}/outside`);
    await symlink('../outside', `${destination}/planted`);
    await expect(unpack([{ name: 'good', content: 'x' }, ...entries])).rejects.toMatchObject({
      name: 'FileError',
      code: 'bad-archive',
      message: expect.stringContaining('Refused to unpack'),
    });
    expect(await readdir(destination)).toEqual(['planted']);
    expect(await readdir(`${directory}/outside`)).toEqual([]);
  });

  test('a file takes the place of a link, which is not followed', async () => {
    const { directory, destination, unpack } = await place();
    await writeFile(`${directory}/outside`, 'mine');
    await symlink('../outside', `${destination}/f`);
    await unpack([{ name: 'f', content: 'theirs' }]);
    expect(await readFile(`${directory}/outside`, 'utf8')).toBe('mine');
    expect((await lstat(`${destination}/f`)).isFile()).toBe(true);
  });

  test('whatever the names, nothing lands outside', async () => {
    const step = fc.constantFrom('..', '.', 'a', 'b', 'l', '', ' ', '...', 'c:', '\\');
    const name = fc.array(step, { minLength: 1, maxLength: 5 }).map((steps) => steps.join('/'));
    const entry = fc.record({ name, content: name, mode: fc.constantFrom(0o100644, 0o120777, 0o040755) });
    const directory = await temporaryDirectory();
    const archives = fc
      .sample(fc.array(entry, { minLength: 1, maxLength: 4 }), 300)
      .map((entries, index) => ({ path: `${directory}/${index}.zip`, entries }));
    packAll(archives);
    const destination = `${directory}/in/out`;
    for (const { path, entries } of archives) {
      await mkdir(destination, { recursive: true });
      await unpackZip(path, destination).catch((error: { name: string }) => {
        if (error.name !== 'FileError') throw error;
      });
      expect(await readdir(`${directory}/in`), JSON.stringify(entries)).toEqual(['out']);
      for (const found of await readdir(destination, { recursive: true, withFileTypes: true }))
        if (found.isSymbolicLink()) {
          const target = resolve(found.parentPath, await readlink(join(found.parentPath, found.name)));
          expect(`${target}/`.startsWith(`${destination}/`), JSON.stringify(entries)).toBe(true);
        }
      await rm(destination, { recursive: true });
    }
    expect((await readdir(directory)).length).toBe(301);
  });

  test('what is no zip, or a damaged one, is told as such', async () => {
    const { destination, zip } = await place();
    await writeFile(zip, 'not a zip');
    await expect(unpackZip(zip, destination)).rejects.toMatchObject({ message: `${zip} is not a zip file` });
    pack(zip, [{ name: 'f', content: 'content' }]);
    const bytes = await readFile(zip);
    bytes.write('CONTENT', bytes.indexOf('content'));
    await writeFile(zip, bytes);
    await expect(unpackZip(zip, destination)).rejects.toMatchObject({
      message: expect.stringContaining('checksum'),
    });
    expect(await readdir(destination)).toEqual([]);
    await expect(unpackZip(`${zip}.none`, destination)).rejects.toMatchObject({ code: 'not-found' });
  });

  test('a file in the way of a directory is told as such', async () => {
    const { destination, unpack } = await place();
    await writeFile(`${destination}/a`, '');
    await expect(unpack([{ name: 'a/b' }])).rejects.toMatchObject({ code: 'not-directory' });
    await expect(unpack([{ name: 'd/' }, { name: 'd' }])).rejects.toMatchObject({ code: 'is-directory' });
  });

  test.skipIf(!isRoot)('as root gives what is new to the owner (needs root)', async () => {
    const { destination, zip } = await place();
    await chown(destination, 1234, 1235);
    pack(zip, [{ name: 'd/f' }, { name: 'd/l', content: 'f', mode: link }]);
    await unpackZip(zip, `${destination}/new`, { owner: { uid: 1234, gid: 1235 } });
    for (const name of ['new', 'new/d', 'new/d/f', 'new/d/l'])
      expect(await lstat(`${destination}/${name}`)).toMatchObject({ uid: 1234, gid: 1235 });
  });
});

test('a download unpacks to the same tree', async () => {
  const { directory, destination, zip } = await place();
  await mkdir(`${directory}/tree/empty/er`, { recursive: true });
  await writeFile(`${directory}/tree/run`, 'x', { mode: 0o755 });
  await writeFile(`${directory}/tree/big`, Buffer.alloc(3_000_000, 'ab'));
  await save((await zipPath(`${directory}/tree`)).stream, zip);
  await unpackZip(zip, destination);
  expect((await readdir(destination, { recursive: true })).sort()).toEqual([
    'big',
    'empty',
    'empty/er',
    'run',
  ]);
  expect((await stat(`${destination}/run`)).mode & 0o777).toBe(0o755);
  expect(await readFile(`${destination}/big`)).toEqual(Buffer.alloc(3_000_000, 'ab'));
});
