import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { Editor } from '../../src/editor/index.ts';
import { NodeFileHost } from '../../src/files/index.ts';
import { temporaryDirectory } from '../files/temporary-directory.ts';
import { changeRows } from './change-rows.ts';
import { edit } from './edit-args.ts';
import { createRows, refusalRows } from './create-and-refusal-rows.ts';
import { viewRows } from './view-rows.ts';

test.each([...viewRows, ...createRows, ...changeRows, ...refusalRows])(
  '$what',
  async ({ command, file, path = '{d}/file.txt', args, content, diff = '', after }) => {
    const directory = await temporaryDirectory();
    await writeFile(`${directory}/plain`, 'plain');
    const place = path.replace('{d}', directory);
    const filled = (text: string) => text.replaceAll('{p}', place).replaceAll('{d}', directory);
    if (file !== undefined) await writeFile(place, file);
    const editor = new Editor({ host: new NodeFileHost(), workspaceRoot: directory });
    const observation = await editor.edit(edit(command, place, args));
    expect(observation).toEqual({
      observation: 'edit',
      content: filled(content),
      message: `I edited the file ${place}.`,
      extras: {
        path: place,
        prev_exist: false,
        old_content: args?.old_str ?? null,
        new_content: args?.new_str ?? null,
        impl_source: 'oh_aci',
        diff: filled(diff),
        _diff_cache: null,
      },
    });
    if (after !== undefined) expect(await readFile(place, 'utf8')).toBe(after);
  },
);

test('a file over 10 MB is refused with its size', async () => {
  const directory = await temporaryDirectory();
  const path = `${directory}/big`;
  await writeFile(path, '');
  await truncate(path, 11 * 1024 * 1024);
  const editor = new Editor({ host: new NodeFileHost(), workspaceRoot: directory });
  const expected = `ERROR:\nFile validation failed for ${path}: File is too large (11.0MB). Maximum allowed size is 10MB.`;
  expect(await editor.view(path, null)).toBe(expected);
  expect((await editor.edit(edit('insert', path, { insert_line: 0, new_str: 'x' }))).content).toBe(expected);
});

test('undo goes back ten edits and says what the file holds then', async () => {
  const directory = await temporaryDirectory();
  const path = `${directory}/f`;
  const editor = new Editor({ host: new NodeFileHost(), workspaceRoot: directory });
  await editor.edit(edit('create', path, { file_text: '0' }));
  for (let step = 1; step <= 12; step++)
    await editor.edit(edit('str_replace', path, { old_str: `${step - 1}`, new_str: `${step}` }));
  const first = await editor.edit(edit('undo_edit', path));
  expect(first.content).toBe(
    `Last edit to ${path} undone successfully. Here's the result of running \`cat -n\` on ${path}:\n     1\t11\n`,
  );
  expect(first.extras.diff).toBe(`--- ${path}\n+++ ${path}\n@@ -1 +1 @@\n-12\n+11`);
  for (let step = 1; step < 10; step++) await editor.edit(edit('undo_edit', path));
  expect(await readFile(path, 'utf8')).toBe('2');
  expect((await editor.edit(edit('undo_edit', path))).content).toBe(
    `ERROR:\nNo edit history found for ${path}.`,
  );
});

test('undo of create restores the created text', async () => {
  const directory = await temporaryDirectory();
  const path = `${directory}/f`;
  const editor = new Editor({ host: new NodeFileHost(), workspaceRoot: directory });
  await editor.edit(edit('create', path, { file_text: 'x\n' }));
  const { content, extras } = await editor.edit(edit('undo_edit', path));
  expect(content).toContain('undone successfully');
  expect(extras.diff).toBe('');
  expect(await readFile(path, 'utf8')).toBe('x\n');
});

test('a directory is listed two levels deep, hidden entries counted', async () => {
  const directory = await temporaryDirectory();
  await mkdir(`${directory}/sub/deep/deeper`, { recursive: true });
  await mkdir(`${directory}/.git`);
  for (const name of ['a b.txt', '.hidden', 'sub/.h', 'sub/f', 'sub/deep/x', 'Ünï'])
    await writeFile(`${directory}/${name}`, '');
  const editor = new Editor({ host: new NodeFileHost(), workspaceRoot: directory });
  expect(await editor.view(`${directory}/`, null)).toBe(
    `Here's the files and directories up to 2 levels deep in ${directory}, excluding hidden items:\n` +
      ['/', '/a b.txt', '/sub/', '/sub/deep/', '/sub/f', '/Ünï'].map((name) => directory + name).join('\n') +
      `\n\n2 hidden files/directories in this directory are excluded. You can use 'ls -la ${directory}' to see them.`,
  );
});

test('a long directory listing is clipped, directories before the cut still marked', async () => {
  const directory = await temporaryDirectory();
  for (let index = 100; index < 200; index++) await mkdir(`${directory}/${index}${'d'.repeat(200)}`);
  const editor = new Editor({ host: new NodeFileHost(), workspaceRoot: directory });
  const shown = await editor.view(directory, null);
  const listing = shown.slice(shown.indexOf('\n') + 1);
  const bare = [
    directory,
    ...Array.from({ length: 100 }, (_, index) => `${directory}/${index + 100}${'d'.repeat(200)}`),
  ].join('\n');
  const [clipped, notice] = listing.split('<response clipped>');
  expect(clipped!.replaceAll('/\n', '\n')).toBe(bare.slice(0, 16_000));
  expect(clipped).toContain(`${directory}/100${'d'.repeat(200)}/\n`);
  expect(notice).toBe(
    '<NOTE>Due to the max output limit, only part of this directory has been shown to you. You should use `ls -la` instead to view large directories incrementally.</NOTE>',
  );
});
