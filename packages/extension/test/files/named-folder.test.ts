import { describe, expect, it } from 'vitest';
import { namedFolder } from '../../src/files/named-folder.ts';

describe('a relative path in a workspace of several folders', () => {
  const folders = [
    { name: 'api', path: '/home/ada/backend' },
    { name: 'web', path: '/home/ada/web' },
  ];
  const nothing = async () => false;

  it('may start with the name of a folder', async () => {
    expect(await namedFolder('api/src/a.ts', '/home/ada/web', folders, nothing)).toBe(
      '/home/ada/backend/src/a.ts',
    );
    expect(await namedFolder('./api', '/home/ada/web', folders, nothing)).toBe('/home/ada/backend');
  });

  it('means the directory itself where that has something of the name', async () => {
    const exists = async (path: string) => path === '/home/ada/web/api';
    expect(await namedFolder('api/new.ts', '/home/ada/web', folders, exists)).toBeUndefined();
  });

  it('means the directory itself with any other start', async () => {
    expect(await namedFolder('apis/a.ts', '/home/ada/web', folders, nothing)).toBeUndefined();
    expect(await namedFolder('../api/a.ts', '/home/ada/web', folders, nothing)).toBeUndefined();
  });

  it('never means a folder by name where there is only one', async () => {
    expect(await namedFolder('api/a.ts', '/', folders.slice(0, 1), nothing)).toBeUndefined();
  });
});
