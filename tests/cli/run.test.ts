import { beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { serve, useServedGateway } from './support/gateway.ts';

/** Nobody else takes it while its gateway is down. */
const port = String(await freePort());

describe('fairlead run', { tags: ['bwrap'], timeout: 60_000 }, () => {
  const held = useServedGateway('--port', port);
  let session: string;
  beforeAll(async () => {
    session = await held.session();
  }, 60_000);

  const args = (...words: string[]) => ['run', session, '--state-dir', held.fairlead.stateDir, ...words];
  const run = (...words: string[]) => held.fairlead.run(...args(...words));

  it('passes on output and exit code', async () => {
    expect(await run('--', 'echo out; echo err >&2; (exit 42)')).toMatchObject({
      code: 42,
      stdout: 'out\nerr\n',
      stderr: '',
    });
  });

  it('keeps one shell, and others beside it', async () => {
    await run('--', 'export WHERE=main; cd /tmp');
    expect(await run('--', 'echo $WHERE $PWD')).toMatchObject({ stdout: 'main /tmp\n' });
    expect(await run('--shell', 'other', '--', 'echo "[$WHERE] $PWD"')).toMatchObject({
      stdout: '[] /workspace\n',
    });
  });

  it('passes several words on as they are', async () => {
    expect(await run('--', 'printf', '[%s]', 'a b', '$HOME', "it's", '--json')).toMatchObject({
      stdout: "[a b][$HOME][it's][--json]",
    });
  });

  it('shows output while the command runs', async () => {
    // Only the interrupt can end it, so what was printed before came live.
    const running = held.fairlead.start(args('--', 'echo first; sleep 300'));
    await running.says('first');
    expect(running.child.exitCode).toBeNull();
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 130 });
  });

  it('loses nothing of much output, in order', async () => {
    const { code, stdout } = await run('--', 'seq 1 50000');
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(50_000);
    expect(lines.every((line, index) => line === String(index + 1))).toBe(true);
  });

  it('leaves colours out where there is no terminal', async () => {
    const { stdout } = await run('--', String.raw`printf '\033[31mred\033[0m\n'`);
    expect(stdout).toBe('red\n');
  });

  it('answers with all facts as JSON', async () => {
    const { code, stdout } = await run('--json', '--', 'cd /tmp; echo hi; (exit 3)');
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'completed',
      exitCode: 3,
      output: 'hi',
      directory: '/tmp',
      observation: { observation: 'run' },
    });
  });

  it('ends a command that takes too long, so that the shell is free again', async () => {
    const late = await run('--timeout', '5s', '--', 'echo begun; sleep 300');
    expect(late).toMatchObject({ code: 124, stderr: expect.stringContaining('ended after 5 s') as string });
    expect(late.stdout).toContain('begun');
    expect(await run('--', 'echo free')).toMatchObject({ code: 0, stdout: 'free\n' });
  });

  it('does not wait behind a command that runs, and says so', async () => {
    const first = held.fairlead.start(args('--shell', 'busy', '--', 'echo begun; sleep 300'));
    await first.says('begun');
    const second = await run('--shell', 'busy', '--timeout', '1s', '--', 'true');
    expect([124, 125]).toContain(second.code);
    first.child.kill('SIGINT');
    expect(await first.ended).toMatchObject({ code: 130 });
  });

  it('ends with 125 when it is Fairlead that fails', async () => {
    const elsewhere = await held.fairlead.run(
      'run',
      'nope',
      '--state-dir',
      held.fairlead.stateDir,
      '--',
      'true',
    );
    expect(elsewhere).toMatchObject({
      code: 125,
      stderr: expect.stringContaining('No session begins with') as string,
    });
    const unreachable = await held.fairlead.start(args('--', 'true'), {
      FAIRLEAD_URL: 'http://127.0.0.1:1',
      FAIRLEAD_API_KEY: 'fl_key',
    }).ended;
    expect(unreachable).toMatchObject({
      code: 125,
      stderr: expect.stringContaining('Cannot reach') as string,
    });
    const several = await run('--', 'echo one\necho two');
    expect(several).toMatchObject({
      code: 125,
      stderr: expect.stringContaining('multiple commands') as string,
    });
  });

  describe('at a terminal', () => {
    it('gives Ctrl-C to the command, which may deal with it', async () => {
      const user = held.fairlead.terminal(
        args('--', `bash -c 'trap "echo heard; exit 9" INT; echo ready; while :; do sleep 0.1; done'`),
      );
      await user.sees('ready');
      user.type('\x03');
      await user.sees('heard');
      expect(await user.ended).toBe(9);
    });

    it('leaves at the second Ctrl-C, and does not leave the command behind', async () => {
      const user = held.fairlead.terminal(
        args('--', `bash -c 'trap "echo heard" INT; echo ready; while :; do sleep 0.1; done'`),
      );
      await user.sees('ready');
      user.type('\x03');
      await user.sees('heard');
      // Two within a moment count as one, for a launcher passes on what the terminal has sent already.
      await new Promise((resolve) => setTimeout(resolve, 400));
      user.type('\x03');
      await user.sees('Left; the command is being ended.');
      expect(await user.ended).toBe(130);
      await expect
        .poll(async () => (await run('--', 'echo free')).stdout, { timeout: 10_000 })
        .toBe('free\n');
    });

    it('keeps colours', async () => {
      const user = held.fairlead.terminal(args('--', String.raw`printf '\033[31mred\033[0m\n'`));
      expect(await user.ended).toBe(0);
      expect(user.screen).toContain('\x1b[31mred\x1b[0m');
    });
  });

  it('survives a gateway that is killed and started again, and runs the command once', async () => {
    const running = held.fairlead.start(
      args('--shell', 'crash', '--', 'echo x >> runs.txt; echo begun; sleep 4; echo finished; (exit 5)'),
    );
    await running.says('begun');
    held.served.child.kill('SIGKILL');
    await held.served.ended;
    held.served = await serve(held.fairlead, '--port', port);
    expect(await running.ended).toMatchObject({ code: 5 });
    expect(await run('--', 'cat /workspace/runs.txt')).toMatchObject({ stdout: 'x\n' });
  });
});
