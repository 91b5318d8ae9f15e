import fc from 'fast-check';
import iconv from 'iconv-lite';
import { execFileSync } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { EditHistory } from '../../src/editor/edit-history.ts';
import { Editor } from '../../src/editor/index.ts';
import { NodeFileHost } from '../../src/files/index.ts';
import { temporaryDirectory } from '../files/temporary-directory.ts';
import { edit } from './edit-args.ts';

async function place() {
  const directory = await temporaryDirectory();
  return {
    path: `${directory}/f`,
    directory,
    editor: new Editor({ host: new NodeFileHost(), workspaceRoot: directory }),
  };
}

describe('the form of a file is kept', () => {
  const japanese = 'これは日本語のテキストです。\n設定ファイルを読み込みます。\n';
  const chinese = '这是一个中文文本文件。\n我们在这里测试编码。\n';
  const russian = 'Привет, мир! Это обычный текст.\nВторая строка.\n';
  test.each([
    ['utf-8', japanese, ''],
    ['utf-8', japanese, '\ufeff'],
    ['utf-16le', japanese, '\ufeff'],
    ['utf-16le', chinese, ''],
    ['utf-16be', russian, '\ufeff'],
    ['shift_jis', japanese, ''],
    ['gb18030', chinese, ''],
    ['windows-1251', russian, ''],
    ['latin1', 'Größe: 5\nSchluß\n', ''],
  ])('%s, edited, inserted into and undone: %s', async (encoding, text, mark) => {
    const { path, editor } = await place();
    for (const lineEnding of ['\n', '\r\n']) {
      const encode = (content: string) =>
        iconv.encode(mark + content.replaceAll('\n', lineEnding), encoding, { addBOM: false });
      await writeFile(path, encode(text));
      const [first, second] = text.split('\n') as [string, string];
      const across = await editor.edit(
        edit('str_replace', path, {
          old_str: `${first.slice(-2)}\n${second.slice(0, 2)}`,
          new_str: 'A\nB\nC',
        }),
      );
      expect(across.content).toContain('has been edited');
      const replaced = `${first.slice(0, -2)}A\nB\nC${second.slice(2)}\n`;
      expect(await readFile(path)).toEqual(encode(replaced));
      await editor.edit(edit('insert', path, { insert_line: 1, new_str: second }));
      expect(await readFile(path)).toEqual(encode(replaced.replace('A\n', `A\n${second}\n`)));
      await editor.edit(edit('undo_edit', path));
      await editor.edit(edit('undo_edit', path));
      expect(await readFile(path)).toEqual(encode(text));
    }
  });

  test('line ends of lines nobody touched stay as mixed as they were', async () => {
    const line = fc
      .tuple(fc.constantFrom('a', 'b', ''), fc.constantFrom('\n', '\r\n', '\r'))
      .map((parts) => parts.join(''));
    const { path, editor } = await place();
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 8 }),
        fc.array(line, { maxLength: 8 }),
        async (before, after) => {
          const [head, tail] = [before.join(''), after.join('')];
          await writeFile(path, `${head}<here\r\nto there>${tail}`);
          await editor.edit(edit('str_replace', path, { old_str: '<here\nto there>', new_str: 'one line' }));
          expect(await readFile(path, 'utf8')).toBe(`${head}one line${tail}`);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('line ends spelt out in old_str are searched for as they are', async () => {
    const { path, editor } = await place();
    await writeFile(path, 'a\r\nb\r\n');
    await editor.edit(edit('str_replace', path, { old_str: 'a\r\n', new_str: 'a\n' }));
    expect(await readFile(path, 'utf8')).toBe('a\nb\r\n');
  });

  test('bytes that are no UTF-8 stay, and are shown as the sign for one', async () => {
    const { path, editor } = await place();
    const stray = Buffer.from([0xff]);
    await writeFile(
      path,
      Buffer.concat([Buffer.from('größer\nschön '), stray, Buffer.from('\nfür\nüber\n')]),
    );
    const { content, extras } = await editor.edit(
      edit('str_replace', path, { old_str: 'größer', new_str: 'GRÖSSER' }),
    );
    expect(content).toContain('     2\tschön \ufffd\n');
    expect(extras.diff).toBe(`--- ${path}\n+++ ${path}\n@@ -1 +1 @@\n-größer\n+GRÖSSER`);
    expect(await readFile(path)).toEqual(
      Buffer.concat([Buffer.from('GRÖSSER\nschön '), stray, Buffer.from('\nfür\nüber\n')]),
    );
  });

  test('a character that the encoding lacks is refused and nothing is written', async () => {
    const { path, editor } = await place();
    await writeFile(path, Buffer.from('Größe\n', 'latin1'));
    const { content, extras } = await editor.edit(edit('str_replace', path, { old_str: 'ö', new_str: '→' }));
    expect(content).toBe(
      `ERROR:\n${path} is latin1 text, which cannot express '→' (U+2192); nothing was written. Leave it out, or convert the file first: iconv -f latin1 -t utf-8`,
    );
    expect(extras.diff).toBe('');
    expect(await readFile(path, 'latin1')).toBe('Größe\n');
    expect((await editor.edit(edit('undo_edit', path))).content).toContain('No edit history');
  });
});

test('edits of one file at the same time all arrive, also through a link', async () => {
  const { path, directory, editor } = await place();
  await writeFile(path, Array.from({ length: 50 }, (_, index) => `<${index}>`).join('\n'));
  await symlink('f', `${directory}/link`);
  await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      editor.edit(
        edit('str_replace', index % 2 ? path : `${directory}/link`, {
          old_str: `<${index}>`,
          new_str: `${index}`,
        }),
      ),
    ),
  );
  expect(await readFile(path, 'utf8')).toBe(Array.from({ length: 50 }, (_, index) => `${index}`).join('\n'));
});

test('of several that create one file at the same time, one does', async () => {
  const { path, editor } = await place();
  const answers = await Promise.all(
    ['a', 'b', 'c'].map((text) => editor.edit(edit('create', path, { file_text: text }))),
  );
  expect(answers.filter(({ content }) => content.startsWith('File created')).length).toBe(1);
  expect(answers.filter(({ content }) => content.includes('already exists')).length).toBe(2);
});

test('a pipe is refused at once', async () => {
  const { path, editor } = await place();
  execFileSync('mkfifo', [path]);
  const expected = `ERROR:\nNot a regular file: ${path} is a pipe, a socket or a device. Use the shell for it.`;
  expect(await editor.view(path, null)).toBe(expected);
  expect((await editor.edit(edit('str_replace', path, { old_str: 'a', new_str: 'b' }))).content).toBe(
    expected,
  );
});

test('names that cannot be are refused, never thrown', async () => {
  const { editor, directory } = await place();
  await symlink('circle', `${directory}/circle`);
  for (const name of ['circle', 'x'.repeat(300), 'nul\0', 'circle/x'])
    for (const command of ['view', 'create', 'str_replace', 'undo_edit'])
      expect(
        (await editor.edit(edit(command, `${directory}/${name}`, { file_text: '', old_str: 'a' }))).content,
      ).toMatch(/^ERROR:\n./);
});

test('history keeps to its bytes, giving up the oldest first', () => {
  const history = new EditHistory(100);
  history.add('a', Buffer.alloc(40, 'a'));
  history.add('b', Buffer.alloc(40, 'b'));
  history.add('b', Buffer.alloc(40, 'c'));
  expect(history.newest('a')).toBeUndefined();
  expect(history.newest('b')).toEqual(Buffer.alloc(40, 'c'));
  history.removeNewest('b');
  expect(history.newest('b')).toEqual(Buffer.alloc(40, 'b'));
  history.add('huge', Buffer.alloc(101));
  expect(history.newest('huge')).toBeUndefined();
  history.removeNewest('none');
  history.add('a', Buffer.alloc(100));
  expect(history.newest('a')).toHaveLength(100);
});

test('the thousandth edit is as fast as the first', async () => {
  const [old, fresh] = [await place(), await place()];
  for (const { path } of [old, fresh])
    await writeFile(path, `${'some line of text\n'.repeat(2000)}counter 0\n`);
  const timeOf = async ({ path, editor }: typeof old, step: number): Promise<number> => {
    const startedAt = performance.now();
    const { content } = await editor.edit(
      edit('str_replace', path, { old_str: `counter ${step}\n`, new_str: `counter ${step + 1}\n` }),
    );
    if (!content.startsWith('The file')) throw new Error(content);
    return performance.now() - startedAt;
  };
  for (let step = 0; step < 800; step++) await timeOf(old, step);
  const times: Record<'old' | 'fresh', number[]> = { old: [], fresh: [] };
  // In turn, so that what else the machine has to do slows both.
  for (let step = 0; step < 200; step++) {
    times.old.push(await timeOf(old, 800 + step));
    times.fresh.push(await timeOf(fresh, step));
  }
  expect(median(times.old)).toBeLessThan(2 * median(times.fresh));
});

function median(some: number[]): number {
  return some.toSorted((left, right) => left - right)[Math.floor(some.length / 2)]!;
}
