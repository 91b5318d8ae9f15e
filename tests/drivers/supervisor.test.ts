import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { awaitSocket } from '../../packages/gateway/src/drivers/await-socket.ts';
import { DriverError } from '../../packages/gateway/src/drivers/driver.ts';
import { supervisorCommand } from '../../packages/gateway/src/drivers/supervisor.ts';
import { until } from './support/until.ts';

/** A supervisor with a script in the place of the sandbox server. */
function supervise(server: string, env: Record<string, string> = {}) {
  const run = mkdtempSync(join(tmpdir(), 'supervisor-'));
  const bundle = { mounts: [], command: ['/bin/bash', '-c', server, 'server'] };
  const [file = '', ...args] = supervisorCommand({ name: 'supervisor', bundle, workspace: run, run });
  const child: ChildProcess = spawn(file, args, {
    cwd: run,
    env: { PATH: '/usr/bin:/bin', ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
  const ended = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)));
  onTestFinished(async () => {
    // With the server that it leaves behind.
    if (isInGroup(child.pid!)) process.kill(-child.pid!, 'SIGKILL');
    await ended;
    rmSync(run, { recursive: true, force: true });
  });
  return {
    child,
    ended,
    run,
    file: (name: string) => join(run, name),
    log: () => (existsSync(join(run, 'server.log')) ? readFileSync(join(run, 'server.log'), 'utf8') : ''),
  };
}

function isInGroup(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

describe('the supervisor', () => {
  test('starts the server with what it needs to know', async () => {
    const { ended, log, run } = supervise('printf "%s\\n" "$@"');
    expect(await ended).toBe(0);
    expect(log().split('\n')).toEqual([
      '--socket',
      `${run}/server.sock`,
      '--working-dir',
      run,
      '--session-dir',
      `${run}/session`,
      '--lease',
      '600',
      '--editor-socket',
      `${run}/editor.sock`,
      '--editor-idle',
      '1800',
      '',
    ]);
  });

  test('starts it again when it dies, and ends with it when it ends well', async () => {
    const { ended, log } = supervise(
      'echo life; echo x >>lives; case $(wc -l <lives) in 1) kill -9 $$ ;; 2) exit 3 ;; esac',
    );
    expect(await ended).toBe(0);
    expect(log()).toBe(
      'life\nThe sandbox server was ended by signal 9; starting it again\n' +
        'life\nThe sandbox server ended with code 3; starting it again\nlife\n',
    );
  });

  test('gives up when it dies again and again, and says why', async () => {
    const { ended, log, file } = supervise('echo x >>lives; echo "no such option"; exit 2');
    expect(await ended).toBe(1);
    expect(readFileSync(file('lives'), 'utf8')).toBe('x\n'.repeat(5));
    expect(log()).toMatch(
      /no such option\nThe sandbox server ended with code 2, for the 5th time within 10 seconds; giving up\n$/,
    );
  });

  test('passes the signal to end on, and waits for the server', async () => {
    const { child, ended, log, file } = supervise(
      'trap "sleep 0.2; echo in good order; exit 0" TERM; touch ready; while :; do sleep 0.05; done',
    );
    await until(() => existsSync(file('ready')), 'the server');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(log()).toBe('in good order\n');
  });

  test('does not start a server again that died of the signal to end', async () => {
    const { child, ended, file } = supervise('echo x >>lives; exec sleep 1000');
    await until(() => existsSync(file('lives')), 'the server');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(readFileSync(file('lives'), 'utf8')).toBe('x\n');
  });

  test('keeps the end of a long log, and no more than twice a megabyte', async () => {
    const { ended, log, file } = supervise('head -c 3000000 /dev/zero | tr "\\0" x; seq 20000; echo the end');
    expect(await ended).toBe(0);
    expect(log()).toMatch(/\n20000\nthe end\n$/);
    for (const name of ['server.log', 'server.log.1'])
      expect(statSync(file(name)).size).toBeLessThan(1_100_000);
  });

  test("is not changed by the session's variables", async () => {
    const trap = mkdtempSync(join(tmpdir(), 'trap-'));
    onTestFinished(() => rmSync(trap, { recursive: true }));
    writeFileSync(join(trap, 'env'), 'echo taken >"$0.taken"; exit 7');
    const env = { BASH_ENV: join(trap, 'env'), 'BASH_FUNC_wait%%': '() { exit 7; }', SHELLOPTS: 'noexec' };
    const { ended, log } = supervise('unset BASH_ENV; echo served', env);
    expect(await ended).toBe(0);
    expect(log()).toContain('served');
  });
});

describe('waiting for a sandbox', () => {
  test('gives up at once when it is gone, with the end of its log', async () => {
    const { ended, run } = supervise('echo "cannot do this"; exit 2');
    const gone = ended.then((code) => `it ended with code ${code}`);
    const failure = await awaitSocket({ run, timeoutMs: 10_000, gone }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DriverError);
    expect((failure as Error).message).toMatch(
      /did not start: it ended with code 1\. Its log ends with: .*cannot do this \/ .*giving up$/,
    );
  });

  test('gives up when the time is over', async () => {
    const { run, log } = supervise('echo still thinking; exec sleep 1000');
    await until(() => log().includes('still thinking'), 'the log');
    await expect(awaitSocket({ run, timeoutMs: 300, gone: new Promise(() => {}) })).rejects.toThrow(
      /did not answer within 0.3 seconds.*still thinking/,
    );
  });
});
