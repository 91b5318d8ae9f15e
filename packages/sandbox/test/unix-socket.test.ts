import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SandboxProcess } from './support/process.ts';
import { call, temporaryDirectory } from './support/test-server.ts';

describe('--socket', () => {
  test('is served for its owner only, and removed at the end', async () => {
    const { socket, args } = await place();
    const server = await new SandboxProcess(args).ready();
    expect(server.address).toBe(socket);
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    expect((await server.act('echo hi')).json.content).toBe('hi');
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0 });
    expect(existsSync(socket)).toBe(false);
  });

  test('takes any Host, but no page of another site', async () => {
    const { socket, args } = await place();
    await new SandboxProcess(args).ready();
    const status = async (headers: Record<string, string>) =>
      (await call(socket, 'GET', '/alive', undefined, headers)).status;
    expect(await status({ host: 'sandbox' })).toBe(200);
    expect(await status({ host: 'any.example:80' })).toBe(200);
    expect(await status({ host: 'any.example', origin: 'http://any.example' })).toBe(200);
    expect(await status({ host: 'sandbox', origin: 'http://evil.example' })).toBe(403);
  });

  test('asks for the key where there is one', async () => {
    const { args } = await place();
    const server = await new SandboxProcess(args, { SESSION_API_KEY: 'k' }).ready();
    expect((await server.act('echo hi')).status).toBe(403);
    expect((await server.act('echo hi', { 'x-session-api-key': 'k' })).status).toBe(200);
  });

  test('of a server that was killed is replaced, one in use is not', async () => {
    const { socket, args, directory } = await place();
    const killed = await new SandboxProcess(args).ready();
    await killed.stop('SIGKILL');
    expect(existsSync(socket)).toBe(true);
    const server = await new SandboxProcess(args).ready();
    const other = ['--socket', socket, '--session-dir', join(directory, 'other'), '--working-dir', directory];
    expect(await new SandboxProcess(other).ended).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`--socket ${socket} is in use by another server`),
    });
    expect(existsSync(join(directory, 'other'))).toBe(false);
    expect((await server.act('echo still there')).json.content).toBe('still there');
  });

  test('of a server that is frozen is in use', async () => {
    const { socket, args } = await place();
    const frozen = await new SandboxProcess(args).ready();
    frozen.child.kill('SIGSTOP');
    const { code, stderr } = await new SandboxProcess(args).ended;
    frozen.child.kill('SIGCONT');
    expect([code, stderr]).toEqual([2, expect.stringContaining('is in use')]);
    expect((await call(socket, 'GET', '/alive')).status).toBe(200);
  });

  test('is refused where a file is, where there is no directory, and when it is too long', async () => {
    const { socket, args, directory } = await place();
    writeFileSync(socket, 'precious');
    expect((await new SandboxProcess(args).ended).stderr).toContain('is not a socket');
    expect(statSync(socket).size).toBe('precious'.length);
    const long = ['--socket', join(directory, 'x'.repeat(100))];
    expect((await new SandboxProcess(long).ended).stderr).toContain('choose a shorter one');
    const lost = await new SandboxProcess([
      '--socket',
      join(directory, 'no', 's'),
      '--working-dir',
      directory,
    ]).ended;
    expect([lost.code, lost.stderr.trimEnd().split('\n').length]).toEqual([2, 1]);
  });
});

async function place(): Promise<{ directory: string; socket: string; args: string[] }> {
  const directory = await temporaryDirectory();
  const socket = join(directory, 'server.sock');
  const session = ['--session-dir', join(directory, 'session'), '--working-dir', join(directory, 'work')];
  return { directory, socket, args: ['--socket', socket, '--terminal', 'pty', ...session] };
}
