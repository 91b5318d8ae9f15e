import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CreatedSession, Session } from '@fairlead/protocol';
import { describe, expect, it } from 'vitest';
import { useServedGateway } from './support/gateway.ts';

describe('fairlead session', { tags: ['bwrap'], timeout: 60_000 }, () => {
  const held = useServedGateway();
  const run = (session: string, command: string) =>
    held.fairlead.run('run', session, '--state-dir', held.fairlead.stateDir, '--', command);

  it('creates a session and prints its id, and nothing else', async () => {
    const { code, stdout } = await held.fairlead.run('session', 'create');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[a-z][a-z0-9]{19}\n$/);
  });

  it('creates one as the options say', async () => {
    const folder = join(held.fairlead.home, 'project');
    mkdirSync(folder);
    writeFileSync(join(folder, 'file.txt'), 'mine\n');
    const labels = ['--label', 'name=opts', '--label', 'x=1'];
    const limits = ['--idle-timeout', '10m', '--max-age', '2h', '--pids', '200'];
    const where = ['--folder', 'project', '--env', 'A=b c'];
    const created = await held.fairlead.json<CreatedSession>(
      'session',
      'create',
      ...where,
      ...labels,
      ...limits,
    );
    expect(created).toMatchObject({
      state: 'running',
      workspace: { kind: 'folder', path: folder },
      labels: { name: 'opts', x: '1' },
      limits: { pids: 200 },
      idleTimeoutSeconds: 600,
      key: expect.stringMatching(/^fs_/) as string,
    });
    expect(await run('opts', 'cat file.txt; echo "$A"')).toMatchObject({ code: 0, stdout: 'mine\nb c\n' });
  });

  it('lists, shows and filters', async () => {
    const id = await held.session('--label', 'name=listed', '--label', 'kind=a');
    const sessions = await held.fairlead.json<Session[]>('session', 'list', '--label', 'kind=a');
    expect(sessions.map((session) => session.id)).toEqual([id]);
    const table = await held.fairlead.ask('session', 'list');
    expect(table.split('\n')[0]).toMatch(/^ID +STATE +DRIVER +AGE +IDLE +WORKSPACE +LABELS$/);
    expect(table).toMatch(new RegExp(`^${id} +running +local .*name=listed kind=a$`, 'm'));
    expect(await held.fairlead.ask('session', 'show', id.slice(0, 12))).toMatch(/^state +running$/m);
    expect(await held.fairlead.json<Session>('session', 'show', 'listed')).toMatchObject({ id });
  });

  it('pauses, resumes, stops, extends and deletes', async () => {
    const { fairlead } = held;
    const id = await held.session();
    await run(id, 'echo kept > kept.txt');
    expect(await fairlead.ask('session', 'pause', id)).toBe(`${id} paused`);
    expect(await run(id, 'true')).toMatchObject({
      code: 125,
      stderr: expect.stringContaining('paused') as string,
    });
    expect(await fairlead.ask('session', 'resume', id)).toBe(`${id} running`);
    expect(await fairlead.ask('session', 'stop', id)).toBe(`${id} stopped`);
    expect(await fairlead.ask('session', 'resume', id)).toBe(`${id} running`);
    expect(await run(id, 'cat kept.txt')).toMatchObject({ code: 0, stdout: 'kept\n' });
    const extended = await fairlead.json<Session>('session', 'extend', id, '--for', '2h');
    expect(extended.id).toBe(id);
    expect(await fairlead.ask('session', 'delete', id)).toBe(`${id} deleted`);
    const gone = await fairlead.run('session', 'show', id);
    expect(gone).toMatchObject({ code: 4, stderr: expect.stringContaining('Session not found') as string });
  });

  it('tells failures as JSON where JSON is asked for', async () => {
    const { code, stdout } = await held.fairlead.run('session', 'show', 'nope', '--json');
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'not-found' } });
  });

  it('exports the journal, and replays it in a fresh session', async () => {
    const { fairlead } = held;
    const id = await held.session();
    await run(id, 'mkdir -p a/b && cd a/b');
    await run(id, 'pwd; exit_with() { return "$1"; }; exit_with 7');
    const file = join(fairlead.home, 'journal.jsonl');
    expect(await fairlead.ask('session', 'export', id, '-o', file)).toContain(`written to ${file}`);
    const lines = (await fairlead.ask('session', 'export', id))
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines.filter((line) => 'event' in line)).toHaveLength(4);

    const replayed = await fairlead.run('session', 'replay', file);
    expect(replayed).toMatchObject({ code: 0 });
    expect(replayed.stdout).toMatch(/^2 actions replayed into [a-z0-9]{20}, all ended as recorded\n$/);

    const changed = await held.session();
    await run(changed, 'mkdir -p a && touch a/b');
    const different = await fairlead.run('session', 'replay', file, '--session', changed, '--json');
    expect(different.code).toBe(1);
    expect(JSON.parse(different.stdout)).toMatchObject({
      session: changed,
      different: 1,
      actions: [{ recorded: 'exit 0', now: 'exit 1', isSame: false }, { isSame: true }],
    });
  });
});
