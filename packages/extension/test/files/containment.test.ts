import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { isInside, realLocation } from '../../src/files/containment.ts';

describe('what lies inside a folder by its name', () => {
  const onLinux = { paths: posix, caseSensitive: true };
  const onWindows = { paths: win32, caseSensitive: false };

  test.each([
    ['/ws', '/ws', true],
    ['/ws', '/ws/a/b.txt', true],
    ['/ws', '/ws-evil/a.txt', false],
    ['/ws', '/ws/../etc/passwd', false],
    ['/ws', '/ws/a/../../ws/b.txt', true],
    ['/ws', '/', false],
    ['/ws', '/ws/..a/b', true],
    ['/ws', '/ws/...', true],
    ['/ws/', '/ws/a', true],
    ['/', '/anything', true],
    ['/ws', '/WS/a', false],
  ])('on Linux, %s holds %s: %s', (root, path, expected) => {
    expect(isInside(root, path, onLinux)).toBe(expected);
  });

  test.each([
    ['C:\\ws', 'c:\\WS\\a.txt', true],
    ['C:\\ws', 'D:\\ws\\a.txt', false],
    ['C:\\ws', 'C:\\ws-evil\\a.txt', false],
    ['C:\\ws', 'C:\\ws\\..\\secret', false],
    ['C:\\ws', '\\\\server\\share\\ws\\a.txt', false],
  ])('on Windows, %s holds %s: %s', (root, path, expected) => {
    expect(isInside(root, path, onWindows)).toBe(expected);
  });

  it('does not ask for the case on macOS', () => {
    expect(isInside('/Users/Ada/ws', '/users/ada/WS/a', { paths: posix, caseSensitive: false })).toBe(true);
  });
});

describe('where a path really is', () => {
  let directory: string;
  beforeEach(() => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), 'fairlead-containment-')));
    mkdirSync(join(directory, 'ws/inner'), { recursive: true });
    mkdirSync(join(directory, 'secret'));
    writeFileSync(join(directory, 'secret/key'), 'secret');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const at = (path: string) => join(directory, path);

  it('is the path itself without links', async () => {
    expect(await realLocation(at('ws/inner'))).toBe(at('ws/inner'));
  });

  it('is known for what is not there yet', async () => {
    expect(await realLocation(at('ws/new/folder/file'))).toBe(at('ws/new/folder/file'));
  });

  it('is where a link leads', async () => {
    symlinkSync(at('secret/key'), at('ws/key'));
    expect(await realLocation(at('ws/key'))).toBe(at('secret/key'));
  });

  it('is where a linked directory leads, also for what is not there yet', async () => {
    symlinkSync('../secret', at('ws/linked'));
    expect(await realLocation(at('ws/linked/new/file'))).toBe(at('secret/new/file'));
  });

  it('is where a link to nothing would put a new file', async () => {
    symlinkSync('../secret/new', at('ws/first'));
    symlinkSync('first', at('ws/second'));
    expect(await realLocation(at('ws/second'))).toBe(at('secret/new'));
  });

  it('is where a link to nothing leads from the directory that it is really in', async () => {
    mkdirSync(at('ws/p/q/r'), { recursive: true });
    mkdirSync(at('ws/z'));
    symlinkSync(at('ws/z'), at('ws/p/q/r/d'));
    symlinkSync('../../new', at('ws/z/link'));
    expect(await realLocation(at('ws/p/q/r/d/link'))).toBe(at('new'));
  });

  it('does not go along with a link and `..` after it', async () => {
    symlinkSync(at('secret'), at('ws/linked'));
    expect(await realLocation(`${at('ws/linked')}/../inner`)).toBe(at('ws/inner'));
  });

  it('is refused for links in a circle', async () => {
    symlinkSync(at('ws/two'), at('ws/one'));
    symlinkSync(at('ws/one'), at('ws/two'));
    await expect(realLocation(at('ws/one/file'))).rejects.toThrow('ELOOP');
  });
});
