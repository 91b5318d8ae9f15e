import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort, processesWith, SandboxProcess } from './support/process.ts';
import { call, temporaryDirectory } from './support/test-server.ts';

// Where there is none, the test still starts and ends the command.
const oldNode = findOldNode() ?? process.execPath;

describe('the command', () => {
  test('--help and --version', async () => {
    expect(await new SandboxProcess(['--help']).ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Usage: fairlead-sandbox PORT'),
      stderr: '',
    });
    expect((await new SandboxProcess(['--version']).ended).stdout).toMatch(
      /^fairlead-sandbox \d+\.\d+\.\d+\n$/,
    );
  });

  test('says in one line what is wrong, with exit code 2', async () => {
    const directory = await temporaryDirectory();
    writeFileSync(join(directory, 'file'), '');
    const taken = createServer();
    const takenPort = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port));
    });
    onTestFinished(() => void taken.close());
    const refused = async (args: string[], env: Record<string, string> = {}) => {
      const { code, stderr } = await new SandboxProcess(args, { XDG_RUNTIME_DIR: directory, ...env }).ended;
      expect([code, stderr.trimEnd().split('\n').length], stderr).toEqual([2, 1]);
      return stderr;
    };
    expect(await refused(['port'])).toContain('PORT "port"');
    expect(await refused([String(takenPort)])).toContain(`Port ${takenPort} on 127.0.0.1 is in use`);
    expect(await refused(['0', '--working-dir', join(directory, 'file')])).toContain(
      'is a file, not a directory',
    );
    expect(await refused(['0', '--working-dir', '/proc/nothing'])).toContain('Cannot use --working-dir');
    expect(await refused(['0', '--host', '0.0.0.0'])).toContain(
      'set SESSION_API_KEY, or give --insecure-no-key',
    );
    expect(await refused(['0'], { FAIRLEAD_HOST: '0.0.0.0' })).toContain('Refusing to listen on 0.0.0.0');
    expect(await refused(['0'], { NO_CHANGE_TIMEOUT_SECONDS: 'x' })).toContain(
      'NO_CHANGE_TIMEOUT_SECONDS="x"',
    );
  });

  test('starts the pinned Node when it is run by an older one, and ends with it', async () => {
    const directory = await temporaryDirectory();
    const args = ptyArguments(directory);
    const server = await new SandboxProcess(args, {}, oldNode).ready();
    expect((await server.act('echo from-pinned')).json.content).toBe('from-pinned');
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0 });
    expect(processesWith(directory)).toEqual([]);
  });
});

describe('a session', () => {
  test('has the workspace as its directory and nothing of the server in its environment', async () => {
    const directory = await temporaryDirectory();
    const workspace = join(directory, 'work');
    const env = {
      SESSION_API_KEY: 'the-key',
      NO_CHANGE_TIMEOUT_SECONDS: '7',
      KEPT: 'yes',
      XDG_RUNTIME_DIR: directory,
      FAIRLEAD_HOST: '127.0.0.1',
    };
    const args = [
      '0',
      '--working-dir',
      workspace,
      '--terminal',
      'pty',
      '--plugins',
      'jupyter',
      '--no-enable-browser',
    ];
    const server = await new SandboxProcess(args, env).ready();
    const key = { 'x-session-api-key': 'the-key' };
    expect((await server.act('pwd')).status).toBe(403);
    expect((await server.act('pwd', key)).json.content).toBe(workspace);
    const { json } = await server.act('env', key);
    expect(json.content).toContain('KEPT=yes');
    expect(json.content).not.toMatch(/the-key|NO_CHANGE_TIMEOUT|FAIRLEAD_HOST/);
    const { code, stderr } = await server.stop('SIGTERM');
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('the-key')]);
    expect(readdirSync(join(directory, `fairlead-${process.getuid?.()}`))).toEqual([]);
  });

  test.runIf(process.getuid?.() === 0)(
    'of another user is theirs: shell, workspace and new files',
    async () => {
      const directory = await temporaryDirectory();
      chmodSync(directory, 0o711);
      const workspace = join(directory, 'work');
      const session = ['--terminal', 'pty', '--session-dir', join(directory, 's')];
      const args = [
        '0',
        '--working-dir',
        workspace,
        '--username',
        'nobody',
        '--user-id',
        '65534',
        ...session,
      ];
      const server = await new SandboxProcess(args).ready();
      expect((await server.act('id -un; pwd; touch mine; stat -c %U . mine')).json.content).toBe(
        `nobody\n${workspace}\nnobody\nnobody`,
      );
    },
  );

  test('file actions do not wait behind a running command', async () => {
    const directory = await temporaryDirectory();
    const args = ptyArguments(directory);
    const server = await new SandboxProcess(args).ready();
    execFileSync('mkfifo', [join(directory, 'go')]);
    const running = server.act('touch started; cat go; echo done', {}, { blocking: true });
    await expect.poll(() => existsSync(join(directory, 'started'))).toBe(true);
    const write = { action: { action: 'write', args: { path: join(directory, 'x'), content: 'y' } } };
    const written = await call(server.address, 'POST', '/execute_action', JSON.stringify(write));
    expect(written.json).toMatchObject({ observation: 'write' });
    await server.act('C-c', {}, { is_input: true });
    await running;
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    '%s answers what runs, ends every process and exits with 0',
    async (signal) => {
      const directory = await temporaryDirectory();
      const args = ptyArguments(directory);
      const server = await new SandboxProcess(args).ready();
      await server.act('(setsid sleep 987 &) ; sleep 986 &');
      const running = server.act('touch started; sleep 985', {}, { blocking: true });
      await expect.poll(() => existsSync(join(directory, 'started'))).toBe(true);
      const startMs = performance.now();
      const [{ code }, answer] = await Promise.all([server.stop(signal), running]);
      expect([code, answer.status]).toEqual([0, 200]);
      expect(performance.now() - startMs).toBeLessThan(5000);
      expect(processesWith(directory)).toEqual([]);
    },
    20_000,
  );

  test('has one server', async () => {
    const directory = await temporaryDirectory();
    const args = ptyArguments(directory);
    const server = await new SandboxProcess(args).ready();
    const second = await new SandboxProcess(args).ended;
    expect(second).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`process id ${server.child.pid}`),
    });
    expect((await server.act('echo still here')).json.content).toBe('still here');
  });

  test(
    'is taken over after kill -9 on the same port: a retry gets the answer of the command that went on',
    { tags: ['tmux'], timeout: 20_000 },
    async () => {
      const directory = await temporaryDirectory();
      const env = { XDG_RUNTIME_DIR: directory };
      const port = String(await freePort());
      const args = [port, '--working-dir', directory, '--terminal', 'tmux'];
      const first = await new SandboxProcess(args, env).ready();
      const key = { 'idempotency-key': 'retry-me' };
      const command = 'echo begin; echo x >>ran; until [ -e go ]; do sleep 0.05; done; echo end; (exit 7)';
      const lost = first.act(command, key, { blocking: true }).catch(() => 'connection lost');
      await expect.poll(() => existsSync(join(directory, 'ran'))).toBe(true);
      await first.stop('SIGKILL');
      expect(await lost).toBe('connection lost');
      const second = await new SandboxProcess(args, env).ready();
      const retried = second.act(command, key, { blocking: true });
      writeFileSync(join(directory, 'go'), '');
      const { json } = await retried;
      expect(json.extras.metadata.exit_code).toBe(7);
      expect(json.content).toBe('begin\nend');
      expect((await second.act('cat ran')).json.content).toBe('x');
      expect((await second.stop('SIGTERM')).code).toBe(0);
      expect(processesWith(directory)).toEqual([]);
    },
  );
});

/** A Node on the PATH that cannot run the sources itself. */
function findOldNode(): string | undefined {
  const isOld = 'process.exit(Number(process.versions.node.split(".")[0]) < 22 ? 0 : 1)';
  const candidates = (process.env['PATH'] ?? '').split(':').map((directory) => join(directory, 'node'));
  return candidates.find((node) => existsSync(node) && succeeds(node, ['-e', isOld]));
}

function succeeds(command: string, args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A server on any free port, with workspace and session in one directory. */
function ptyArguments(directory: string): string[] {
  return ['0', '--working-dir', directory, '--terminal', 'pty', '--session-dir', join(directory, 's')];
}
