import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { storeUpload } from '../../src/files/index.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { isRoot } from './unprivileged.ts';

const streamOf = (...chunks: string[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

test('an upload is stored in its directory, which is made', async () => {
  const directory = await temporaryDirectory();
  expect(await storeUpload(streamOf('a', 'b'), `${directory}/new/dir/`, 'f.txt')).toBe(
    `${directory}/new/dir/f.txt`,
  );
  expect(await readFile(`${directory}/new/dir/f.txt`, 'utf8')).toBe('ab');
  expect((await stat(`${directory}/new/dir/f.txt`)).mode & 0o7777).toBe(0o664);
});

test('an upload over a file keeps its mode, and its link', async () => {
  const directory = await temporaryDirectory();
  await writeFile(`${directory}/real`, 'old');
  await chmod(`${directory}/real`, 0o755);
  await symlink('real', `${directory}/f`);
  await storeUpload(streamOf('new'), directory, 'f');
  expect(await readFile(`${directory}/real`, 'utf8')).toBe('new');
  expect((await stat(`${directory}/real`)).mode & 0o7777).toBe(0o755);
});

test.each([
  ['../../evil', 'evil'],
  ['/etc/passwd', 'passwd'],
  ['C:\\dir\\a.txt', 'a.txt'],
  ['..a', '..a'],
  ['имя 😀', 'имя 😀'],
])('the name %s is stored as %s', async (given, name) => {
  const directory = await temporaryDirectory();
  await storeUpload(streamOf('x'), directory, given);
  expect(await readdir(directory)).toEqual([name]);
});

test.each(['', '.', '..', 'a/', 'a/..', 'x\0y'])('the name %j is refused', async (name) => {
  const directory = await temporaryDirectory();
  const stream = streamOf('x');
  await expect(storeUpload(stream, directory, name)).rejects.toMatchObject({
    name: 'FileError',
    code: 'bad-name',
  });
  expect(await readdir(directory)).toEqual([]);
  expect(stream.destroyed).toBe(true);
});

test('an upload that breaks off leaves the old file and nothing else', async () => {
  const directory = await temporaryDirectory();
  await writeFile(`${directory}/f`, 'old');
  const broken = Readable.from(
    (function* () {
      yield Buffer.from('half');
      throw new Error('connection lost');
    })(),
  );
  await expect(storeUpload(broken, directory, 'f')).rejects.toMatchObject({
    message: expect.stringContaining('connection lost'),
  });
  expect(await readdir(directory)).toEqual(['f']);
  expect(await readFile(`${directory}/f`, 'utf8')).toBe('old');
});

test('an upload onto a directory, or into a file, is refused', async () => {
  const directory = await temporaryDirectory();
  await mkdir(`${directory}/d`);
  await writeFile(`${directory}/f`, '');
  await expect(storeUpload(streamOf('x'), directory, 'd')).rejects.toMatchObject({ code: 'is-directory' });
  await expect(storeUpload(streamOf('x'), `${directory}/f`, 'x')).rejects.toMatchObject({
    code: 'not-directory',
  });
});

test('a large upload is not held in memory', async () => {
  const directory = await temporaryDirectory();
  const chunk = Buffer.alloc(1024 * 1024);
  const before = process.memoryUsage.rss();
  const large = Readable.from(Array.from({ length: 200 }, () => chunk));
  await storeUpload(large, directory, 'large');
  expect((await stat(`${directory}/large`)).size).toBe(200 * 1024 * 1024);
  expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024);
});

test.skipIf(!isRoot)('as root gives what is new to the owner (needs root)', async () => {
  const directory = await temporaryDirectory();
  await storeUpload(streamOf('x'), `${directory}/new`, 'f', { owner: { uid: 1234, gid: 1235 } });
  for (const name of ['new', 'new/f'])
    expect(await stat(`${directory}/${name}`)).toMatchObject({ uid: 1234, gid: 1235 });
});
