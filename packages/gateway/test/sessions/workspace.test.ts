import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { newOwner } from '../../src/auth/owners.ts';
import { checkWorkspace } from '../../src/sessions/workspace.ts';

const root = mkdtempSync(join(tmpdir(), 'workspace-rules-'));
afterAll(() => rmSync(root, { recursive: true }));
const at = (...names: string[]) => join(root, ...names);
for (const path of ['state/sessions', 'shared/project', 'shared-not', '..odd', 'state/..odd'])
  mkdirSync(at(path), { recursive: true });
writeFileSync(at('shared/file'), '');
symlinkSync(at('shared-not'), at('shared/out'));
symlinkSync(at('shared'), at('also-shared'));

const rules = { stateDir: at('state'), allowedFolders: [at('also-shared'), at('missing')] };
const operator = newOwner('operator', 'operator');
const tenant = newOwner('tenant', 'tenant');
const check = (owner: typeof tenant, path: string) => checkWorkspace({ kind: 'folder', path }, owner, rules);

test('a tenant mounts what is really below an allowed folder', async () => {
  expect(await check(tenant, at('shared/project'))).toEqual({ kind: 'folder', path: at('shared/project') });
  expect(await check(tenant, at('also-shared'))).toEqual({ kind: 'folder', path: at('shared') });
  for (const path of [
    'shared-not',
    'shared/out',
    'shared/..',
    'shared/file',
    'shared/nothing',
    'nothing',
    'state',
  ])
    await expect(check(tenant, at(path)), path).rejects.toMatchObject({
      code: 'not-allowed',
      message: expect.stringContaining('ask the operator to start the gateway with --allow-folder'),
    });
});

test('an operator mounts any folder that is none of the gateway', async () => {
  expect(await check(operator, at('shared-not'))).toEqual({ kind: 'folder', path: at('shared-not') });
  expect(await check(operator, at('..odd'))).toEqual({ kind: 'folder', path: at('..odd') });
  for (const path of ['state', 'state/sessions', 'state/..odd', '.'])
    await expect(check(operator, at(path)), path).rejects.toMatchObject({ code: 'not-allowed' });
  for (const path of ['nothing', 'shared/file'])
    await expect(check(operator, at(path)), path).rejects.toMatchObject({ code: 'bad-request' });
});

test('an allowed folder around the gateway does not open it', async () => {
  const wide = { ...rules, allowedFolders: [root] };
  const source = { kind: 'folder', path: at('state/sessions') } as const;
  await expect(checkWorkspace(source, tenant, wide)).rejects.toMatchObject({ code: 'not-allowed' });
});
