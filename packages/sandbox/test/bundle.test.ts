import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { prepareSandboxBundle } from '../src/bundle.ts';
import { findLibraries } from '../src/portable/shared-libraries.ts';
import { type Answer, call, run, temporaryDirectory } from './support/test-server.ts';

describe('the portable bundle', () => {
  test('is made once, and does not copy Node', async () => {
    const first = await prepareSandboxBundle();
    const [again, atTheSameTime] = await Promise.all([prepareSandboxBundle(), prepareSandboxBundle()]);
    expect(again).toEqual(first);
    expect(atTheSameTime).toEqual(first);
    const { source, target } = first.mounts[0]!;
    expect(target).toBe('/opt/fairlead');
    expect(statSync(join(source, 'bin', 'node')).ino).toBe(statSync(process.execPath).ino);
    expect(readdirSync(dirname(source)).filter((name) => name.includes('.'))).toEqual([]);
  });
});

describe('the portable bundle on a machine with bash', { tags: ['tmux'] }, () => {
  test('has compiled what the first command needs, which this Node takes as it is', async () => {
    const { mounts, command } = await prepareSandboxBundle();
    const { source, target } = mounts[0]!;
    const [program = '', ...args] = command.map((word) => word.replace(target, source));
    const report = join(await temporaryDirectory(), 'report.cjs');
    writeFileSync(
      report,
      `const { Script } = require('node:vm');
      require('node:vm').Script = class extends Script {
        constructor(...given) {
          super(...given);
          console.log(given[1].cachedData?.length > 100_000 && !this.cachedDataRejected);
        }
      };`,
    );
    const entry = args.pop()!;
    const { stdout } = await promisify(execFile)(program, [...args, '--require', report, entry, '--version']);
    expect(stdout).toMatch(/^true\nfairlead-sandbox \d/);
  });
});

describe('the portable bundle in a root with nothing but bash', { tags: ['bwrap'] }, () => {
  test('serves a shell, which has nothing of the bundle', async () => {
    const { act } = await startInside(await makeRoot());
    const hi = await act(run('echo hi; ls /usr/lib /lib; pwd'));
    expect(hi.json).toMatchObject({ observation: 'run', success: true });
    expect(hi.json.content).toContain('hi\n');
    expect(hi.json.content).not.toContain('libstdc++');
    const { json: environment } = await act(run('env'));
    expect(environment.content).toContain('KEPT=yes');
    expect(environment.content).not.toMatch(/LD_|NODE|\/opt\/fairlead/);
    const { json: maps } = await act(run('cat /proc/self/maps'));
    expect(maps.content).toContain('libc.so.6');
    expect(maps.content).not.toContain('/opt/fairlead');
  });

  test('uses none of the libraries of that root', async () => {
    const { act } = await startInside(await makeRoot());
    // The shell's terminal is a compiled part, too.
    expect((await act(run('echo hi'))).json.content).toBe('hi');
    const { json } = await act({ action: 'read', args: { path: '/proc/self/maps' } });
    const mapped = new Set(json.content.match(/(?<= )\/.*$/gm) as string[]);
    expect([...mapped]).toContain('/opt/fairlead/lib/libstdc++.so.6');
    expect([...mapped].some((path) => path.endsWith('/pty.node'))).toBe(true);
    for (const path of mapped) expect(path).toMatch(/^\/opt\/fairlead\//);
  });
});

/** A root file system of a few programs and what they need. */
async function makeRoot(): Promise<string> {
  const root = await temporaryDirectory();
  const programs = ['bash', 'cat', 'env', 'ls', 'sleep'];
  const { loader, libraries } = await findLibraries(programs.map((name) => `/bin/${name}`));
  for (const name of programs) put(`/bin/${name}`, join(root, 'usr', 'bin', name));
  for (const { name, source } of libraries) put(source, join(root, 'usr', 'lib', name));
  put(loader.source, join(root, loader.path));
  return root;
}

function put(source: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(source, target);
}

async function startInside(root: string): Promise<{ act(event: object): Promise<Answer> }> {
  const { mounts, command } = await prepareSandboxBundle();
  const outside = await temporaryDirectory();
  const bind = (source: string, target: string) => ['--ro-bind', source, target];
  const isolation = '--unshare-pid --unshare-ipc --die-with-parent --proc /proc --dev /dev --tmpfs /tmp';
  const environment = '--clearenv --setenv PATH /usr/bin --setenv KEPT yes';
  const serverArguments =
    '--socket /run/fairlead/server.sock --session-dir /run/fairlead/session --working-dir /workspace';
  const args = [
    ...`${isolation} ${environment} --symlink usr/lib /lib --dir /workspace`.split(' '),
    ...readdirSync(root).flatMap((name) => bind(join(root, name), `/${name}`)),
    ...mounts.flatMap(({ source, target }) => bind(source, target)),
    '--bind',
    outside,
    '/run/fairlead',
    ...command,
    ...serverArguments.split(' '),
  ];
  await listening(spawn('bwrap', args, { stdio: ['ignore', 'pipe', 'pipe'] }));
  return {
    act: (event) =>
      call(join(outside, 'server.sock'), 'POST', '/execute_action', JSON.stringify({ action: event })),
  };
}

async function listening(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  let errors = '';
  child.stderr!.on('data', (text) => (errors += String(text)));
  const died = ended.then(() => Promise.reject(new Error(`the server ended: ${errors}`)));
  await Promise.race([once(child.stdout!, 'data'), died]);
  died.catch(() => undefined);
}
