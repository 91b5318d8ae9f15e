import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addFakeNpm } from '../../packages/cli/test/support/fake-npm.ts';
import { isOnPath } from '../../scripts/machine-needs.mjs';
import { Fairlead, until } from './support/fairlead.ts';

/** A desktop has one. */
const isEditorOnMachine = ['code-server', 'openvscode-server', 'code'].some((name) => isOnPath(name));

describe('fairlead editor', { timeout: 60_000 }, () => {
  let fairlead: Fairlead;
  let bin: string;
  let editors: string;
  beforeEach(() => {
    fairlead = new Fairlead();
    bin = join(fairlead.home, 'bin');
    editors = join(fairlead.stateDir, 'editors');
    addFakeNpm(bin);
    fairlead.env['PATH'] = `${bin}:/usr/bin:/bin`;
  });
  afterEach(() => fairlead.close());

  it('installs one with word of each step, says that it is there, and removes it', async () => {
    expect(await fairlead.ask('editor', 'remove')).toBe('Nothing is installed.');
    const { code, stdout, stderr } = await fairlead.run('editor', 'install');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `code-server 4.139.1 is installed in ${editors}/code-server-4.139.1\n`,
    });
    expect(stderr).toMatch(/Downloading code-server[^]*Compiling the native parts[^]*Trying it\n {2}done in/);
    expect(await fairlead.json('editor', 'status')).toMatchObject({
      installed: { kind: 'code-server', version: '4.139.1', directory: `${editors}/code-server-4.139.1` },
    });
    const installed = { name: 'web VS Code', status: 'ok' };
    expect((await fairlead.json<Doctor>('doctor')).findings).toContainEqual(
      expect.objectContaining(installed),
    );
    expect(await fairlead.json('editor', 'remove')).toEqual({ removed: ['4.139.1'] });
    expect(readdirSync(editors)).toEqual([]);
    const { code: codeWithout, stdout: status } = await fairlead.run('editor', 'status', '--json');
    expect(JSON.parse(status)).toMatchObject({ installed: null });
    expect(codeWithout).toBe(isEditorOnMachine ? 0 : 1);
  });

  it('leaves nothing behind when Ctrl-C comes in the middle, neither files nor processes', async () => {
    mkdirSync(editors, { recursive: true });
    writeFileSync(join(editors, 'hang'), '');
    const user = fairlead.terminal(['editor', 'install']);
    const pidFile = join(editors, 'hanging');
    await user.sees('Compiling the native parts');
    await user.sees('s so far; Ctrl-C leaves nothing');
    await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '');
    user.type('\x03');
    expect(await user.ended).toBe(130);
    expect(user.screen).toContain('it was cancelled. What was begun is removed.');
    expect(existsSync(`/proc/${readFileSync(pidFile, 'utf8').trim()}/exe`)).toBe(false);
    expect(readdirSync(editors).toSorted()).toEqual(['hang', 'hanging']);
  });

  it('fails in one message when a step does, as JSON too', async () => {
    mkdirSync(editors, { recursive: true });
    writeFileSync(join(editors, 'fail'), '');
    const { code, stdout, stderr } = await fairlead.run('editor', 'install', '--json');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      error: {
        code: 'editor-install-failed',
        message: expect.stringContaining('gyp ERR! no compiler today') as string,
      },
    });
  });

  it('is refused to serve as one that nobody knows, or that is not there', async () => {
    const unknown = await fairlead.run('serve', '--editor', join(bin, 'make'));
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toContain('make is none that Fairlead knows');
    const absent = await fairlead.run('serve', '--editor', 'code-server');
    expect(absent).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a program') as string });
  });
});

interface Doctor {
  findings: { name: string; status: string; detail: string; remedy?: string }[];
}
