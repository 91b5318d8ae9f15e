import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readlink, symlink, truncate, unlink, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { zipPath } from '../../src/files/index.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { contents, save } from './zips.ts';

async function zipped(path: string) {
  const directory = await temporaryDirectory();
  const { stream, fileName } = await zipPath(path);
  await save(stream, `${directory}/z.zip`);
  return { fileName, entries: contents(`${directory}/z.zip`) };
}

describe('a download', { tags: ['python3'] }, () => {
  test('has files relative to the path, stored, with modes and empty directories', async () => {
    const directory = await temporaryDirectory();
    await mkdir(`${directory}/tree/sub/empty`, { recursive: true });
    await writeFile(`${directory}/tree/a.txt`, 'a');
    await writeFile(`${directory}/tree/.hidden`, 'h');
    await writeFile(`${directory}/tree/sub/run`, '#!', { mode: 0o755 });
    await writeFile(`${directory}/tree/sub/имя\n😀`, 'u');
    for (const path of [`${directory}/tree`, `${directory}/tree/`]) {
      const { fileName, entries } = await zipped(path);
      expect(fileName).toBe('tree.zip');
      expect(entries.map(({ name, content }) => [name, content])).toEqual([
        ['.hidden', 'h'],
        ['a.txt', 'a'],
        ['sub/empty/', ''],
        ['sub/run', '#!'],
        ['sub/имя\n😀', 'u'],
      ]);
      expect(entries.every(({ stored }) => stored)).toBe(true);
      expect(entries.find(({ name }) => name === 'sub/run')?.mode).toBe(0o755);
    }
  });

  test('of one file is that file', async () => {
    const directory = await temporaryDirectory();
    await writeFile(`${directory}/a.txt`, 'content');
    const { fileName, entries } = await zipped(`${directory}/a.txt`);
    expect(fileName).toBe('a.txt.zip');
    expect(entries).toMatchObject([{ name: 'a.txt', content: 'content' }]);
  });

  test('of an empty directory is an empty zip', async () => {
    expect((await zipped(await temporaryDirectory())).entries).toEqual([]);
  });

  test('follows links to files inside and leaves out all others, pipes too', async () => {
    const directory = await temporaryDirectory();
    await mkdir(`${directory}/tree/dir`, { recursive: true });
    await writeFile(`${directory}/secret`, 'secret');
    await writeFile(`${directory}/tree/dir/f`, 'f');
    await symlink('dir/f', `${directory}/tree/inside`);
    await symlink('../secret', `${directory}/tree/outside`);
    await symlink('/etc', `${directory}/tree/etc`);
    await symlink('.', `${directory}/tree/circle`);
    await symlink('none', `${directory}/tree/broken`);
    execFileSync('mkfifo', [`${directory}/tree/pipe`]);
    const { entries } = await zipped(`${directory}/tree`);
    expect(entries.map(({ name, content }) => [name, content])).toEqual([
      ['dir/f', 'f'],
      ['inside', 'f'],
    ]);
  });

  test('takes names that are no UTF-8 and names that Windows reads otherwise', async () => {
    const directory = await temporaryDirectory();
    await writeFile(Buffer.concat([Buffer.from(`${directory}/caf`), Buffer.from([0xe9])]), 'x');
    await writeFile(`${directory}/a\\b`, 'y');
    await writeFile(`${directory}/c:d`, 'z');
    const { entries } = await zipped(directory);
    expect(entries.map(({ name }) => name)).toEqual(['a_b', 'c_d', 'caf\ufffd']);
  });
});

test('what cannot be downloaded is told before the first byte', async () => {
  const directory = await temporaryDirectory();
  execFileSync('mkfifo', [`${directory}/pipe`]);
  await expect(zipPath(`${directory}/none`)).rejects.toMatchObject({ name: 'FileError', code: 'not-found' });
  await expect(zipPath(`${directory}/pipe`)).rejects.toMatchObject({
    name: 'FileError',
    code: 'special-file',
  });
});

test('a file that goes away meanwhile breaks the download off instead of passing for empty', async () => {
  const directory = await temporaryDirectory();
  await writeFile(`${directory}/a`, Buffer.alloc(5_000_000));
  await writeFile(`${directory}/b`, 'b');
  const { stream } = await zipPath(directory);
  await unlink(`${directory}/b`);
  await expect(save(stream, '/dev/null')).rejects.toMatchObject({ name: 'FileError', code: 'not-found' });
});

test('a reader that goes away leaves no file open, and a large file is not held in memory', async () => {
  const directory = await temporaryDirectory();
  await writeFile(`${directory}/huge`, '');
  await truncate(`${directory}/huge`, 1024 ** 3);
  const before = process.memoryUsage.rss();
  const { stream } = await zipPath(directory);
  let seen = 0;
  for await (const chunk of stream) {
    seen += (chunk as Buffer).length;
    if (seen > 300 * 1024 ** 2) break;
  }
  expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 ** 2);
  for (let tries = 0; tries < 100 && (await openFiles(directory)) > 0; tries++) await setTimeout(10);
  expect(await openFiles(directory)).toBe(0);
});

async function openFiles(directory: string): Promise<number> {
  const handles = await readdir('/proc/self/fd');
  const targets = await Promise.all(
    handles.map((handle) => readlink(`/proc/self/fd/${handle}`).catch(() => '')),
  );
  return targets.filter((target) => target.startsWith(directory)).length;
}
