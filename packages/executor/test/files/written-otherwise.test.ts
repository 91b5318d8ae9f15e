import type { ChangedDiagnostics, EditArgs } from '@fairlead/protocol';
import { editArgs, writeArgs } from '@fairlead/protocol';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Editor } from '../../src/editor/index.ts';
import {
  FileError,
  NodeFileHost,
  type WriteOptions,
  writeAction,
  type WrittenFile,
} from '../../src/index.ts';

const differs =
  'NOTE: The file does not hold exactly what you wrote: the user or the editor changed it on the way. View it before you edit it again.';

/** A disk on which somebody else has a say. */
class SharedFileHost extends NodeFileHost {
  onSave = (text: string): string => text;
  answer: Omit<WrittenFile, 'bytes'> = {};
  given: WriteOptions[] = [];

  override async writeFile(
    path: string,
    bytes: Uint8Array,
    options: WriteOptions = {},
  ): Promise<WrittenFile> {
    this.given.push(options);
    const saved = Buffer.from(this.onSave(Buffer.from(bytes).toString()));
    return { ...(await super.writeFile(path, saved, options)), ...this.answer };
  }
}

describe('a file that does not hold what was written', () => {
  let directory: string;
  let host: SharedFileHost;
  let editor: Editor;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'fairlead-shared-'));
    host = new SharedFileHost();
    editor = new Editor({ host, workspaceRoot: directory });
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const write = (content: string) =>
    writeAction(writeArgs.parse({ path: 'a.txt', content }), { host, cwd: directory });
  const edit = (args: Partial<EditArgs>) =>
    editor.edit(editArgs.parse({ path: join(directory, 'a.txt'), ...args }));

  it('is told of in the answer to a write', async () => {
    host.onSave = (text) => text.trimEnd();
    expect(await write('one  ')).toMatchObject({ observation: 'write', content: differs });
    expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('one');
  });

  it('is not told of when only the form differs', async () => {
    host.onSave = (text) => `\ufeff${text.replaceAll('\n', '\r\n')}`;
    expect(await write('one\ntwo')).toMatchObject({ observation: 'write', content: '' });
  });

  it('is shown as it is in the answer to an edit', async () => {
    writeFileSync(join(directory, 'a.txt'), 'one\ntwo\n');
    host.onSave = (text) => text.replace('2', 'II');
    const { content, extras } = await edit({ command: 'str_replace', old_str: 'two', new_str: '2' });
    expect(content).toContain('     2\tII\n');
    expect(content).not.toContain('     2\t2\n');
    expect(content.endsWith(`\n${differs}`)).toBe(true);
    expect(extras.diff).toContain('+II');
  });

  it('is shown as it is after an undo and a creation', async () => {
    host.onSave = (text) => text.replace(/\n*$/, '\n');
    const created = await edit({ command: 'create', file_text: 'one' });
    expect(created.content).toBe(`File created successfully at: ${join(directory, 'a.txt')}\n${differs}`);
    expect(created.extras.diff).toContain('+one');
    await edit({ command: 'insert', insert_line: 1, new_str: 'two' });
    host.onSave = () => 'mine\n';
    const undone = await edit({ command: 'undo_edit' });
    expect(undone.content).toContain('     1\tmine\n');
    expect(undone.content).toContain(differs);
  });

  it('can be told of in the words of the host', async () => {
    host.answer = { notes: ['It was not saved.', 'The user was asked.'] };
    expect((await write('one')).content).toBe('NOTE: It was not saved.\nNOTE: The user was asked.');
    const { content } = await edit({ command: 'str_replace', old_str: 'one', new_str: '1' });
    expect(content.split('\n').slice(-2)).toEqual(['NOTE: It was not saved.', 'NOTE: The user was asked.']);
  });

  it('comes with the problems that the host found', async () => {
    const diagnostics: ChangedDiagnostics = { added: [], removed: [], isSettled: true };
    host.answer = { diagnostics };
    expect((await write('one')).extras).toEqual({ path: join(directory, 'a.txt'), diagnostics });
    expect((await edit({ command: 'str_replace', old_str: 'one', new_str: '1' })).extras).toMatchObject({
      diagnostics,
    });
  });

  it('is changed on top of what was read, and replaced without it', async () => {
    writeFileSync(join(directory, 'a.txt'), 'one\n');
    await edit({ command: 'str_replace', old_str: 'one', new_str: '1' });
    await edit({ command: 'insert', insert_line: 1, new_str: 'two' });
    await edit({ command: 'undo_edit' });
    await write('new');
    expect(host.given.map(({ base }) => base && Buffer.from(base).toString())).toEqual([
      'one\n',
      '1\n',
      undefined,
      undefined,
    ]);
  });

  it('is left alone when the host refuses, in the words of the host', async () => {
    host.onSave = () => {
      throw new FileError('conflict', 'a.txt', 'Conflict: somebody else was first.');
    };
    expect(await write('one')).toMatchObject({
      observation: 'error',
      content: 'Conflict: somebody else was first.',
    });
    expect((await edit({ command: 'create', file_text: 'one' })).content).toBe(
      'ERROR:\nConflict: somebody else was first.',
    );
  });

  it('is where the host says that a relative path leads', async () => {
    const elsewhere = Object.assign(host, {
      resolve: async (path: string) => join(directory, 'named', path),
    });
    const written = await writeAction(writeArgs.parse({ path: 'a.txt', content: 'one' }), {
      host: elsewhere,
      cwd: directory,
    });
    expect(written.extras).toEqual({ path: join(directory, 'named/a.txt') });
    expect(readFileSync(join(directory, 'named/a.txt'), 'utf8')).toBe('one\n');
  });
});
