import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { installEditor } from '../../src/editor/install-editor.ts';
import { findInstalledEditor } from '../../src/editor/installed-editor.ts';
import { addFakeNpm, addProgram } from '../support/fake-npm.ts';

let place: string;
let editors: string;
let bin: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'editor-test-'));
  editors = join(place, 'editors');
  bin = join(place, 'bin');
  addFakeNpm(bin);
  vi.stubEnv('PATH', [bin, '/usr/bin', '/bin'].join(delimiter));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(place, { recursive: true, force: true });
});

describe('the installer', () => {
  test('leaves an editor that starts wherever it is, with its own Node and without what it does not need', async () => {
    expect(findInstalledEditor(editors)).toBeUndefined();
    const lines: string[] = [];
    const editor = await install({ onProgress: (line) => lines.push(line) });
    expect(editor).toEqual({
      kind: 'code-server',
      version: '4.139.1',
      directory: join(editors, 'code-server-4.139.1'),
      program: 'bin/code-server',
    });
    expect(findInstalledEditor(editors)).toEqual(editor);
    expect(readdirSync(editors)).toEqual(['code-server-4.139.1']);
    expect(lines.filter((line) => !line.startsWith(' '))).toEqual([
      'Downloading code-server 4.139.1 and Node 24.9.0',
      'Preparing its libraries',
      'Compiling the native parts of VS Code; this takes some minutes',
      'Installing the extensions of VS Code',
      'Removing what is not needed to run it',
      'Trying it',
    ]);
    const moved = join(place, 'moved');
    execFileSync('cp', ['-r', editor.directory, moved]);
    const said = execFileSync(join(moved, editor.program), ['--hello'], { encoding: 'utf8' });
    expect(said.trim()).toBe(`code-server --hello ${join(moved, 'bin', 'node')}`);
    const left = readdirSync(editor.directory, { recursive: true }).map(String);
    expect(left.filter((name) => /obj\.target|other-system|\.map$|include/.test(name))).toEqual([]);
  });

  test('does nothing when it is there already', async () => {
    await install();
    vi.stubEnv('PATH', '/nowhere');
    expect(await install()).toMatchObject({ version: '4.139.1' });
  });

  test('that fails says what did, and leaves nothing', async () => {
    mkdirSync(editors);
    writeFileSync(join(editors, 'fail'), '');
    await expect(install()).rejects.toThrow(
      /"Compiling the native parts of VS Code.*" failed \(7\):\n {2}gyp ERR! no compiler today\nCheck the network/,
    );
    expect(readdirSync(editors)).toEqual(['fail']);
  });

  test('that is cancelled ends what it has started, and leaves nothing', async () => {
    mkdirSync(editors);
    writeFileSync(join(editors, 'hang'), '');
    const cancel = new AbortController();
    const installing = install({ signal: cancel.signal });
    const pidFile = join(editors, 'hanging');
    while (!existsSync(pidFile)) await delay(20);
    const pid = Number(execFileSync('cat', [pidFile], { encoding: 'utf8' }));
    cancel.abort();
    await expect(installing).rejects.toThrow('it was cancelled');
    expect(existsSync(`/proc/${pid}/exe`)).toBe(false);
    expect(readdirSync(editors).toSorted()).toEqual(['hang', 'hanging']);
  });

  test('removes what an installation left that was killed, and leaves one alone that runs', async () => {
    const abandoned = join(editors, '.unfinished-4194399-abc');
    const running = join(editors, `.unfinished-${process.pid}-abc`);
    for (const path of [abandoned, running]) mkdirSync(path, { recursive: true });
    await install();
    expect([existsSync(abandoned), existsSync(running)]).toEqual([false, true]);
  });

  test('names all packages that are missing before it begins', async () => {
    for (const tool of ['g++', 'make']) rmSync(join(bin, tool));
    addProgram(bin, 'pkg-config', '[ "$1" = --version ]');
    vi.stubEnv('PATH', bin);
    await expect(install()).rejects.toThrow(
      'cannot be compiled without g++, make, libkrb5-dev. ' +
        'Install what is missing, and run it again: sudo apt-get install g++ make libkrb5-dev',
    );
    expect(existsSync(editors)).toBe(false);
  });
});

test('the version of this Fairlead is used before others, and the newest of others', () => {
  const add = (version: string) => {
    mkdirSync(join(editors, `code-server-${version}`, 'bin'), { recursive: true });
    writeFileSync(join(editors, `code-server-${version}`, 'bin', 'code-server'), '');
  };
  mkdirSync(join(editors, 'code-server-9.9.9'), { recursive: true });
  expect(findInstalledEditor(editors)).toBeUndefined();
  for (const version of ['4.99.0', '4.200.1', '4.140.0']) add(version);
  expect(findInstalledEditor(editors)).toMatchObject({ version: '4.200.1' });
  add('4.139.1');
  expect(findInstalledEditor(editors)).toMatchObject({ version: '4.139.1' });
});

function install(options: Partial<Parameters<typeof installEditor>[0]> = {}) {
  return installEditor({ directory: editors, onProgress: () => undefined, ...options });
}
