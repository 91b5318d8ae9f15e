import { readArgs, type ReadArgs, writeArgs, type WriteArgs } from '@fairlead/protocol';
import iconv from 'iconv-lite';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { listFiles, NodeFileHost, readAction, writeAction } from '../../src/files/index.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function place() {
  const cwd = await temporaryDirectory();
  const context = { host: new NodeFileHost(), cwd };
  return {
    cwd,
    read: (path: string, rest: Partial<ReadArgs> = {}) =>
      readAction(readArgs.parse({ path, ...rest }), context),
    write: (path: string, content: string, rest: Partial<WriteArgs> = {}) =>
      writeAction(writeArgs.parse({ path, content, ...rest }), context),
  };
}

function error(content: string) {
  return { observation: 'error', content, message: content, extras: { error_id: '' } };
}

describe('read', () => {
  test.each([
    [0, -1, 'l1\nl2\nl3\nl4\nl5\n'],
    [1, 3, 'l2\nl3\n'],
    [3, -1, 'l4\nl5\n'],
    [0, 2, 'l1\nl2\n'],
    [10, 20, 'l4\nl5\n'],
    [10, -1, ''],
    [-5, 2, 'l1\nl2\n'],
    [2, 1, 'l3\n'],
    [4, 5, 'l4\nl5\n'],
  ])('lines %i to %i of five', async (start, end, content) => {
    const { cwd, read } = await place();
    await writeFile(`${cwd}/f`, 'l1\nl2\nl3\nl4\nl5\n');
    expect(await read('f', { start, end })).toEqual({
      observation: 'read',
      content,
      message: `I read the file ${cwd}/f.`,
      extras: { path: `${cwd}/f`, impl_source: 'default' },
    });
  });

  test('what cannot be read is told in the words of the contract', async () => {
    const { cwd, read } = await place();
    await mkdir(`${cwd}/dir`);
    await symlink('loop', `${cwd}/loop`);
    await writeFile(`${cwd}/plain`, '');
    execFileSync('mkfifo', [`${cwd}/pipe`]);
    expect(await read('none')).toEqual(
      error(`File not found: ${cwd}/none. Your current working directory is ${cwd}.`),
    );
    expect(await read('dir')).toEqual(error(`Path is a directory: ${cwd}/dir. You can only read files`));
    expect(await read('loop')).toEqual(error(`Too many symbolic links: ${cwd}/loop leads in a circle.`));
    expect(await read('plain/x')).toEqual(error(`Not a directory: a part of ${cwd}/plain/x is a file.`));
    expect(await read('pipe')).toEqual(
      error(`Not a regular file: ${cwd}/pipe is a pipe, a socket or a device. Use the shell for it.`),
    );
    expect(await read('/dev/zero')).toMatchObject({ observation: 'error' });
    expect(await read('x'.repeat(300))).toMatchObject({
      content: expect.stringContaining('File name too long'),
    });
    expect(await read('a\0b')).toMatchObject({ content: expect.stringContaining('NUL') });
  });

  test('a deleted working directory is a missing file, not a failure', async () => {
    const { cwd } = await place();
    const gone = `${cwd}/gone`;
    const observation = await readAction(readArgs.parse({ path: 'f' }), {
      host: new NodeFileHost(),
      cwd: gone,
    });
    expect(observation).toEqual(
      error(`File not found: ${gone}/f. Your current working directory is ${gone}.`),
    );
  });

  test('binary data is ERROR_BINARY_FILE in both kinds of read', async () => {
    const { cwd, read } = await place();
    await writeFile(`${cwd}/a.png`, png);
    await writeFile(`${cwd}/data`, Buffer.from([1, 0, 2, 0, 0]));
    expect(await read(`${cwd}/a.png`)).toEqual(error('ERROR_BINARY_FILE'));
    expect(await read(`${cwd}/data`)).toEqual(error('ERROR_BINARY_FILE'));
    expect(await read('data')).toEqual(error('ERROR_BINARY_FILE'));
    expect(await read(`${cwd}/a.png`, { impl_source: 'oh_aci' })).toEqual(error('ERROR_BINARY_FILE'));
  });

  test.each([
    ['a.PNG', 'image/png'],
    ['a.jpeg', 'image/jpeg'],
    ['a.pdf', 'application/pdf'],
    ['a.webm', 'video/webm'],
  ])('media by a relative path or with text inside comes as data: %s', async (name, type) => {
    const { cwd, read } = await place();
    await writeFile(`${cwd}/${name}`, png);
    expect(await read(name)).toMatchObject({ content: `data:${type};base64,${png.toString('base64')}` });
    await writeFile(`${cwd}/${name}`, 'text');
    expect(await read(`${cwd}/${name}`)).toMatchObject({ content: `data:${type};base64,dGV4dA==` });
  });

  test.each(['utf-8', 'utf-16le', 'gb18030', 'shift_jis'])(
    '%s text is read as text, with plain line ends',
    async (encoding) => {
      const { cwd, read } = await place();
      const text =
        encoding === 'gb18030' ? '我们在这里测试编码\r\n正确\r\n' : 'これは日本語です。\r\nテスト\r\n';
      await writeFile(`${cwd}/f`, iconv.encode(text, encoding));
      expect(await read('f')).toMatchObject({ observation: 'read', content: text.replaceAll('\r', '') });
    },
  );

  test('a file over 100 MB is refused with a remedy', async () => {
    const { cwd, read } = await place();
    await writeFile(`${cwd}/f`, 'text\n'.repeat(20_000));
    await truncate(`${cwd}/f`, 101 * 1024 * 1024);
    expect(await read('f')).toMatchObject({
      observation: 'error',
      content: expect.stringMatching(
        /^File is too large to read at once: .*101\.0 MB, the limit is 100 MB\. .*sed -n/,
      ),
    });
  });

  test('files of /proc have no size and are read all the same', async () => {
    const { read } = await place();
    expect(await read('/proc/self/status')).toMatchObject({ content: expect.stringContaining('Pid:') });
  });

  test('oh_aci answers as the editor does, refusals in the content', async () => {
    const { cwd, read } = await place();
    await writeFile(`${cwd}/f`, 'a\nb\n');
    expect(await read(`${cwd}/f`, { impl_source: 'oh_aci', view_range: [2, 2] })).toEqual({
      observation: 'read',
      content: `Here's the result of running \`cat -n\` on ${cwd}/f:\n     2\tb\n`,
      message: `I read the file ${cwd}/f.`,
      extras: { path: `${cwd}/f`, impl_source: 'oh_aci' },
    });
    expect(await read('f', { impl_source: 'oh_aci' })).toEqual({
      observation: 'read',
      content: `ERROR:\nInvalid \`path\` parameter: f. The path should be an absolute path, starting with \`/\`. Maybe you meant ${cwd}/f?`,
      message: 'I read the file f.',
      extras: { path: 'f', impl_source: 'oh_aci' },
    });
  });
});

describe('write', () => {
  test.each([
    ['a\nb', 'a\nb\n'],
    ['', '\n'],
    ['a\n', 'a\n\n'],
  ])('every line of %j gets a line end', async (content, expected) => {
    const { cwd, write } = await place();
    expect(await write('new/dir/f', content)).toEqual({
      observation: 'write',
      content: '',
      message: `I wrote to the file ${cwd}/new/dir/f.`,
      extras: { path: `${cwd}/new/dir/f` },
    });
    expect(await readFile(`${cwd}/new/dir/f`, 'utf8')).toBe(expected);
    expect((await stat(`${cwd}/new/dir/f`)).mode & 0o7777).toBe(0o664);
  });

  test.each([
    [0, -1, 'x\n'],
    [1, 2, '1\nx\n3\n'],
    [3, -1, '1\n2\n3\nx\n'],
    [0, 1, 'x\n2\n3\n'],
    [0, 0, 'x\n1\n2\n3\n'],
    [-1, -2, '1\n2\nx\n2\n3\n'],
    [9, 9, '1\n2\n3\nx\n'],
  ])('lines %i to %i of an existing file are replaced', async (start, end, expected) => {
    const { cwd, write } = await place();
    await writeFile(`${cwd}/f`, '1\n2\n3\n');
    await write('f', 'x', { start, end });
    expect(await readFile(`${cwd}/f`, 'utf8')).toBe(expected);
  });

  test('the form of an existing file is kept', async () => {
    const { cwd, write } = await place();
    await writeFile(`${cwd}/crlf`, 'a\r\nb\r\nmixed\nc\r\n');
    await write('crlf', 'x\ny', { start: 1, end: 2 });
    expect(await readFile(`${cwd}/crlf`, 'utf8')).toBe('a\r\nx\r\ny\r\nmixed\nc\r\n');
    await writeFile(`${cwd}/latin`, Buffer.from('é\n', 'latin1'));
    await write('latin', 'è', { start: 1 });
    expect(await readFile(`${cwd}/latin`, 'latin1')).toBe('é\nè\n');
    await writeFile(`${cwd}/utf16`, Buffer.from('\ufeffa\n', 'utf16le'));
    await write('utf16', 'b');
    expect(await readFile(`${cwd}/utf16`, 'utf16le')).toBe('\ufeffb\n');
  });

  test('a character that the encoding lacks is refused in a part and makes a whole file UTF-8', async () => {
    const { cwd, write } = await place();
    await writeFile(`${cwd}/f`, Buffer.from('é\n', 'latin1'));
    expect(await write('f', '→', { start: 1 })).toEqual(
      error(
        `${cwd}/f is latin1 text, which cannot express '→' (U+2192); nothing was written. Leave it out, or convert the file first: iconv -f latin1 -t utf-8`,
      ),
    );
    expect(await readFile(`${cwd}/f`, 'latin1')).toBe('é\n');
    await write('f', '→');
    expect(await readFile(`${cwd}/f`, 'utf8')).toBe('→\n');
  });

  test('what cannot be written is told in the words of the contract', async () => {
    const { cwd, write } = await place();
    await mkdir(`${cwd}/dir`);
    await writeFile(`${cwd}/a.png`, png);
    execFileSync('mkfifo', [`${cwd}/pipe`]);
    expect(await write('dir', 'x')).toEqual(
      error(`Path is a directory: ${cwd}/dir. You can only write to files`),
    );
    expect(await write('a.png', 'x')).toEqual(error(`File could not be decoded as utf-8: ${cwd}/a.png`));
    expect(await write('pipe', 'x')).toMatchObject({
      content: expect.stringContaining('Not a regular file'),
    });
    expect(await write('a.png/x', 'x')).toEqual(
      error(`Not a directory: a part of ${cwd}/a.png/x is a file.`),
    );
    expect(await readFile(`${cwd}/a.png`)).toEqual(png);
  });

  test('writes to one file at the same time all arrive, also through a link', async () => {
    const { cwd, write, read } = await place();
    await writeFile(`${cwd}/f`, '');
    await symlink('f', `${cwd}/link`);
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        write(index % 2 ? 'f' : 'link', `${index}`, { start: 1_000_000 }),
      ),
    );
    const lines = (await readFile(`${cwd}/f`, 'utf8')).trimEnd().split('\n');
    expect(new Set(lines)).toEqual(new Set(Array.from({ length: 40 }, (_, index) => `${index}`)));
    expect(await read('link')).toMatchObject({ observation: 'read' });
  });

  test('names with line ends, quotes and other scripts are names', async () => {
    const { cwd, write, read } = await place();
    for (const name of ['a\nb', `q"'\\`, 'имя', '名前 😀', '-rf', ' ']) {
      await write(name, 'x');
      expect(await read(name)).toMatchObject({ content: 'x\n', extras: { path: `${cwd}/${name}` } });
    }
  });
});

test('a list has directories first, then files, in order whatever the case, broken links left out', async () => {
  const { cwd } = await place();
  for (const name of ['b', 'Zoo', 'a']) await mkdir(`${cwd}/${name}`);
  for (const name of ['B.txt', 'a.txt', '.env', 'ä']) await writeFile(`${cwd}/${name}`, '');
  await symlink('a', `${cwd}/to-a`);
  await symlink('nowhere', `${cwd}/broken`);
  const host = new NodeFileHost();
  expect(await listFiles(host, cwd)).toEqual(['a/', 'b/', 'to-a/', 'Zoo/', '.env', 'a.txt', 'B.txt', 'ä']);
  expect(await listFiles(host, `${cwd}/none`)).toEqual([]);
  expect(await listFiles(host, `${cwd}/B.txt`)).toEqual([]);
});
