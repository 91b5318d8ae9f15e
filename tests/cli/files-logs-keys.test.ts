import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { useServedGateway } from './support/gateway.ts';

describe('with a gateway', { tags: ['bwrap'], timeout: 60_000 }, () => {
  const held = useServedGateway();
  let session: string;
  beforeAll(async () => {
    session = await held.session('--label', 'name=files');
  }, 60_000);
  const run = (command: string) =>
    held.fairlead.ask('run', session, '--state-dir', held.fairlead.stateDir, '--', command);

  describe('fairlead cp', () => {
    const bytes = Buffer.from(Uint8Array.from({ length: 1_000_000 }, (_value, index) => (index * 31) % 256));

    function localFolder(): string {
      const folder = mkdtempSync(join(held.fairlead.home, 'folder-'));
      mkdirSync(join(folder, 'sub', 'empty'), { recursive: true });
      writeFileSync(join(folder, 'data.bin'), bytes);
      writeFileSync(join(folder, 'sub', 'tool.sh'), 'echo tool\n', { mode: 0o755 });
      symlinkSync('/etc/passwd', join(folder, 'outside'));
      return folder;
    }

    it('takes a file in and out, byte for byte', async () => {
      const { fairlead } = held;
      const folder = localFolder();
      expect(await fairlead.ask('cp', join(folder, 'data.bin'), 'files:')).toBe(
        `${session}:/workspace/data.bin`,
      );
      await fairlead.ask('cp', join(folder, 'data.bin'), 'files:made/by/cp/renamed.bin');
      expect(await fairlead.ask('cp', `${session}:made/by/cp/renamed.bin`, folder)).toBe(
        join(folder, 'renamed.bin'),
      );
      expect(readFileSync(join(folder, 'renamed.bin')).equals(bytes)).toBe(true);
      await fairlead.ask('cp', 'files:/workspace/data.bin', join(folder, 'data.bin'));
      expect(readFileSync(join(folder, 'data.bin')).equals(bytes)).toBe(true);
    });

    it('takes folders in and out, under their own name or another', async () => {
      const { fairlead } = held;
      const folder = localFolder();
      const name = folder.split('/').at(-1) ?? '';
      await fairlead.ask('cp', folder, 'files:/workspace');
      await fairlead.ask('cp', folder, 'files:named');
      expect(
        await run(
          `cd /workspace && diff -r ${name} named && find named | sort | tr '\\n' ' ' && named/sub/tool.sh`,
        ),
      ).toBe('named named/data.bin named/sub named/sub/empty named/sub/tool.sh tool');
      await fairlead.ask('cp', 'files:named', join(folder, 'back'));
      expect(readdirSync(join(folder, 'back')).toSorted()).toEqual(['data.bin', 'sub']);
      expect(readdirSync(join(folder, 'back', 'sub')).toSorted()).toEqual(['empty', 'tool.sh']);
      await fairlead.ask('cp', 'files:named', join(folder, 'back'));
      expect(readdirSync(join(folder, 'back', 'named')).toSorted()).toEqual(['data.bin', 'sub']);
    });

    it('copies an archive as a file, and does not unpack it', async () => {
      const { fairlead } = held;
      const zip = join(fairlead.home, 'archive.zip');
      writeFileSync(zip, bytes);
      await fairlead.ask('cp', zip, 'files:other-name.zip');
      await fairlead.ask('cp', 'files:other-name.zip', join(fairlead.home, 'back.zip'));
      expect(readFileSync(join(fairlead.home, 'back.zip')).equals(bytes)).toBe(true);
      expect(readdirSync(fairlead.home).filter((name) => name.startsWith('.fairlead-'))).toEqual([]);
    });

    it('says what is not there, on which side', async () => {
      const { fairlead } = held;
      const there = await fairlead.run('cp', 'files:missing', '.');
      expect(there).toMatchObject({ code: 4 });
      expect(there.stderr).toContain(`There is no file or folder /workspace/missing in ${session}.`);
      const here = await fairlead.run('cp', 'missing', 'files:');
      expect(here).toMatchObject({ code: 1 });
      expect(here.stderr).toContain('There is no file or folder');
    });
  });

  describe('fairlead logs', () => {
    it('tells what was done and what came of it, and follows', async () => {
      const { fairlead } = held;
      await run('echo logged; (exit 4)').catch(() => undefined);
      const logs = await fairlead.ask('logs', 'files');
      expect(logs).toMatch(/ {2}\$ echo logged; \(exit 4\)\n.* exit 4, \d+\.\d\d s\n {7}logged$/m);
      expect(logs).toContain('session running');
      const last = Number(
        /^ *(\d+)/.exec(logs.split('\n').findLast((line) => /^ *\d+ {2}\d\d:/.test(line)) ?? '')?.[1],
      );
      expect(await fairlead.ask('logs', 'files', '--after', String(last))).toBe('');

      const following = fairlead.start(['logs', 'files', '-f', '--after', String(last), '--json']);
      await run('echo live-log');
      await following.says('"content":"live-log"');
      following.child.kill('SIGINT');
      expect(await following.ended).toMatchObject({ code: 0 });
      expect(
        following.stdout
          .trim()
          .split('\n')
          .map((line) => (JSON.parse(line) as { type: string }).type),
      ).toEqual(['action', 'observation']);
    });
  });

  describe('fairlead key', () => {
    it('makes keys that see only what is theirs, and revokes them', async () => {
      const { fairlead } = held;
      const made = await fairlead.run('key', 'create', '--owner', 'somebody', '--label', 'for a test');
      const key = made.stdout.trim();
      expect(key).toMatch(/^fl_[a-z0-9]{12}_[\w-]{43}$/);
      const as = async (...args: string[]) => fairlead.start(args, { FAIRLEAD_API_KEY: key }).ended;
      expect(await as('session', 'list', '--json')).toMatchObject({ code: 0, stdout: '[]\n' });
      expect(await as('session', 'show', session)).toMatchObject({ code: 4 });

      const id = key.split('_')[1] ?? '';
      const list = await fairlead.ask('key', 'list');
      expect(list).toMatch(new RegExp(`^${id} +somebody +tenant .* for a test$`, 'm'));
      expect(list).not.toContain(key);
      expect(await fairlead.ask('key', 'revoke', id)).toBe(`${id} revoked`);
      expect(await as('session', 'list')).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('"fairlead key create" makes a new one') as string,
      });
      expect(await fairlead.run('key', 'revoke', id)).toMatchObject({ code: 4 });
    });
  });

  describe('fairlead doctor', () => {
    it('says what is here and that the gateway answers', async () => {
      const { code, stdout } = await held.fairlead.run('doctor', '--json');
      expect(code).toBe(0);
      const { canCreateSessions, findings } = JSON.parse(stdout) as {
        canCreateSessions: boolean;
        findings: { name: string; status: string; remedy?: string }[];
      };
      expect(canCreateSessions).toBe(true);
      expect(findings.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['Node', 'bash', 'tmux', 'git', 'local driver', 'docker driver', 'gateway']),
      );
      expect(findings.find(({ name }) => name === 'gateway')).toMatchObject({ status: 'ok' });
      for (const { status, remedy } of findings) if (status !== 'ok') expect(remedy).toBeTruthy();
    });

    it('ends with 1 where no session can be created, and says what to install', async () => {
      const bin = mkdtempSync(join(held.fairlead.home, 'bin-'));
      const { code, stdout } = await held.fairlead.start(['doctor', '--docker-socket', '/nowhere.sock'], {
        PATH: bin,
      }).ended;
      expect(code).toBe(1);
      expect(stdout).toMatch(/^✗ bash +not installed\n.*\n +to do: apt-get install bash$/m);
      expect(stdout).toContain('Sessions cannot be created here');
    });
  });
});
