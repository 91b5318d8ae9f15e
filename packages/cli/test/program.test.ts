import { describe, expect, it } from 'vitest';
import { createProgram } from '../src/program.ts';
import { testCli } from './support/test-cli.ts';

const stateDir = '/nowhere/at/all';

async function run(...argv: string[]) {
  const cli = testCli({ stateDir });
  const failure = await createProgram(cli)
    .parseAsync(argv, { from: 'user' })
    .then(
      () => undefined,
      (error: Error & { exitCode?: number; code?: string }) => error,
    );
  return { ...cli.said, failure };
}

describe('the command line', () => {
  it('has help for every command, with the options that all of them take', async () => {
    for (const command of [
      'serve',
      'doctor',
      'key create',
      'session create',
      'run',
      'attach',
      'cp',
      'logs',
      'open',
      'ports',
      'share',
      'window list',
      'window pair',
      'window forget',
      'editor install',
      'nginx',
    ]) {
      const { stdout, failure } = await run(...command.split(' '), '--help');
      expect(failure?.exitCode, command).toBe(0);
      expect(stdout, command).toContain(`Usage: fairlead ${command}`);
      expect(stdout, command).toContain('--json');
    }
  });

  it('takes the options of all commands before and behind the command', async () => {
    for (const argv of [
      ['--key-file', '/missing', 'session', 'list'],
      ['session', 'list', '--key-file', '/missing'],
    ]) {
      expect((await run(...argv)).failure?.message).toContain('Cannot read the key file /missing');
    }
  });

  it('leaves what stands behind "--" to the command that is run', async () => {
    const { failure } = await run('run', 'demo', '--', 'ls', '--json', '--key-file', 'x');
    expect(failure?.message).toContain(`none runs on the state directory ${stateDir}`);
  });

  it('says which option is wrong', async () => {
    expect((await run('session', 'create', '--driver', 'vm')).failure?.message).toContain('local, docker');
    expect((await run('serve', '--port', 'x')).failure?.message).toContain('0 to 65535');
    expect((await run('run', 'demo', '--shell', 'a b', '--', 'ls')).failure?.message).toContain(
      'name of a shell',
    );
    expect((await run('attach', 'demo')).failure?.message).toContain('attach needs a terminal');
    expect((await run('open', 'demo', '--app', '1', '--port', '80')).failure?.message).toContain('not both');
    expect((await run('share', 'demo')).failure?.message).toContain('--app N or --port N');
    expect((await run('serve', '--app-ports', '10')).failure?.message).toContain('0 to 9');
    expect((await run('serve', '--public-url', 'here')).failure?.message).toContain('is not an address');
    expect((await run('nginx', '--public-url', 'here')).failure?.message).toContain('is not an address');
    expect((await run('nginx', '--host', 'a;')).failure?.message).toContain('address to listen on');
    expect((await run('nginx', '--domain', 'a;b')).failure?.message).toContain('is not a name');
    expect((await run('nginx', '--base-path', '/a;b')).failure?.message).toContain('is not a path');
    expect((await run('nginx', '--certificate', '/a;b')).failure?.message).toContain('an absolute path');
    expect((await run('cp', 'a', 'b')).failure?.message).toContain('SESSION:PATH');
    expect((await run('cp', 'x:a', 'y:b')).failure?.message).toContain('Exactly one');
  });

  it('ends run with a code that no command gives when Fairlead itself fails', async () => {
    expect((await run('run', 'demo', '--', 'true')).failure?.exitCode).toBe(125);
  });
});
