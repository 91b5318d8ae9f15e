import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fairlead, type Started } from './support/fairlead.ts';
import { endAll, serve } from './support/gateway.ts';

describe('fairlead serve', { tags: ['bwrap'], timeout: 60_000 }, () => {
  let fairlead: Fairlead;
  let served: Started | undefined;
  beforeEach(() => {
    fairlead = new Fairlead();
    served = undefined;
  });
  afterEach(async () => {
    if (served?.child.exitCode === null) await endAll(fairlead, served);
    else fairlead.close();
  }, 60_000);

  it('says where it listens, where the key is and what to try, and never the key', async () => {
    served = fairlead.start(['serve', '--port', '0', '--warm', '0']);
    await served.says('Stop with Ctrl-C');
    const key = readFileSync(join(fairlead.stateDir, 'key'), 'utf8').trim();
    expect(served.stdout).toMatch(/Fairlead gateway: +http:\/\/127\.0\.0\.1:\d+\n/);
    expect(served.stdout).toContain(`${fairlead.stateDir}/key (made just now; only you can read it)`);
    expect(served.stdout).toContain(`npx fairlead --state-dir ${fairlead.stateDir} session create`);
    expect(served.stdout + served.stderr).not.toContain(key);
    expect(statSync(join(fairlead.stateDir, 'key')).mode & 0o777).toBe(0o600);
    expect(await fairlead.ask('session', 'list', '--json')).toBe('[]');
  });

  it('ends in good order, says what goes on, and finds it again at the next start', async () => {
    served = await serve(fairlead);
    const id = await fairlead.ask('session', 'create');
    await fairlead.ask('run', id, '--state-dir', fairlead.stateDir, '--', 'export STILL=here');
    served.child.kill('SIGTERM');
    const { code, stderr } = await served.ended;
    expect(code).toBe(0);
    expect(stderr).not.toContain('Error');
    expect(await fairlead.run('session', 'list')).toMatchObject({ code: 3 });

    served = await serve(fairlead);
    expect(await fairlead.ask('run', id, '--state-dir', fairlead.stateDir, '--', 'echo $STILL')).toBe('here');
    served.child.kill('SIGTERM');
    await served.ended;
    served = fairlead.start(['serve', '--port', '0', '--warm', '0']);
    await served.says('Stop with Ctrl-C');
    served.child.kill('SIGINT');
    expect(await served.ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Stopped. 1 session goes on') as string,
    });
    served = await serve(fairlead);
  });

  it('does not take a second place on one state directory', async () => {
    served = await serve(fairlead);
    const second = await fairlead.run('serve', '--port', '0');
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toContain(`process id ${served.child.pid}; stop it, or choose another --state-dir`);
    expect(await fairlead.ask('session', 'list', '--json')).toBe('[]');
  });

  it('refuses a port that is taken and was asked for', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const refused = await fairlead.run('serve', '--port', String(port));
    await new Promise((resolve) => other.close(resolve));
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`Port ${port} of 127.0.0.1 is taken. Choose another with --port N.`);
  });

  it('fails in one line when the state directory cannot be used', async () => {
    const file = join(fairlead.home, 'file');
    writeFileSync(file, '');
    const refused = await fairlead.run('serve', '--port', '0', '--json', '--state-dir', join(file, 'state'));
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      error: { message: expect.stringContaining(file) as string },
    });
  });
});
