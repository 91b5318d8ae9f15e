import { expect, test } from 'vitest';
import { readGitAddress, shownWorkspace, withoutPasswords } from '../../src/sessions/git-address.ts';

test.each([
  ['https://example.org/r.git', undefined],
  ['https://example.org:8443/a@b/r.git', undefined],
  ['git@example.org:team/r.git', undefined],
  ['ssh://git@example.org/r.git', undefined],
])('%s is an address without a secret', (url, credential) => {
  expect(readGitAddress(url)).toEqual({ address: url, credential });
});

test.each([
  ['https://me:p%40ss@example.org/r.git', 'https://example.org/r.git', 'https://example.org', 'me', 'p@ss'],
  ['https://me:p@ss@example.org/r.git', 'https://example.org/r.git', 'https://example.org', 'me', 'p@ss'],
  ['http://t0ken@host:80/r?x=@', 'http://host:80/r?x=@', 'http://host:80', 't0ken', ''],
  ['HTTPS://:a:b@host', 'HTTPS://host', 'HTTPS://host', '', 'a:b'],
  ['https://me:%zz@host/r', 'https://host/r', 'https://host', 'me', '%zz'],
  ['https://me:a%0aurl=x@host/r', 'https://host/r', 'https://host', 'me', 'a%0aurl=x'],
])('%s is taken apart', (url, address, origin, username, password) => {
  expect(readGitAddress(url)).toEqual({ address, credential: { origin, username, password } });
});

test('ssh knows no passwords, and needs the name', () => {
  const { address } = readGitAddress('ssh://git:s3cret@example.org/r.git');
  expect(address).toBe('ssh://git@example.org/r.git');
});

test('a workspace is shown without what may be a secret', () => {
  const source = { kind: 'git', url: 'https://me:s3cret@example.org/r.git', ref: 'main' } as const;
  expect(shownWorkspace(source)).toEqual({ ...source, url: 'https://example.org/r.git' });
  expect(shownWorkspace({ kind: 'own' })).toEqual({ kind: 'own' });
});

test('no password is told in what git says', () => {
  const said = "fatal: 'https://me:p%40ss@w@example.org/r.git/' and ssh://git@host/x@y";
  expect(withoutPasswords(said)).toBe("fatal: 'https://example.org/r.git/' and ssh://host/x@y");
});
