import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseArguments, UsageError } from '../../src/start/arguments.ts';
import { prepareEditorSocket } from '../../src/start/editor-socket.ts';
import { readSettings, shellEnvironment } from '../../src/start/environment.ts';
import { temporaryDirectory } from '../support/test-server.ts';

describe('argv', () => {
  test('says where an editor listens, and how long it stays', () => {
    const words = ['0', '--editor-socket', 'run/editor.sock', '--editor-idle', '60'];
    expect(parseArguments(words)).toMatchObject({ editorSocket: 'run/editor.sock', editorIdleSeconds: 60 });
    expect(parseArguments(['0'])).toMatchObject({ editorSocket: undefined, editorIdleSeconds: 1800 });
    expect(() => parseArguments(['0', '--editor-idle', '0'])).toThrow(UsageError);
  });
});

describe('FAIRLEAD_EDITOR', () => {
  const parse = (text: string) => readSettings({ FAIRLEAD_EDITOR: text }).editor;

  test('names an editor, and is not for the shells', () => {
    const editor = { kind: 'code-server', command: ['/opt/code-server', '--flag'] };
    expect(parse(JSON.stringify(editor))).toEqual({ ...editor, isFallback: false });
    expect(parse(JSON.stringify({ ...editor, isFallback: true }))).toEqual({ ...editor, isFallback: true });
    expect(parse('')).toBeUndefined();
    expect(shellEnvironment({ FAIRLEAD_EDITOR: '{}' })).toEqual({});
  });

  test.each([
    'code-server',
    'null',
    '[]',
    '{"kind": "emacs", "command": ["x"]}',
    '{"kind": "code-server", "command": []}',
    '{"kind": "code-server", "command": "x"}',
    '{"kind": "code-server", "command": [1]}',
  ])('%s is refused', (text) => {
    expect(() => parse(text)).toThrow(/FAIRLEAD_EDITOR is not JSON of the form/);
  });
});

describe('the directory of the socket', () => {
  test('is made for its owner only', async () => {
    const directory = join(await temporaryDirectory(), 'made');
    const path = join(directory, 'editor.sock');
    expect(prepareEditorSocket(path, undefined)).toBe(path);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  test('may not be too long for the kernel', async () => {
    const directory = await temporaryDirectory();
    const path = join(directory, 'x'.repeat(100), 'editor.sock');
    expect(() => prepareEditorSocket(path, undefined)).toThrow('choose a shorter one');
    expect(existsSync(join(directory, 'x'.repeat(100)))).toBe(false);
  });
});
