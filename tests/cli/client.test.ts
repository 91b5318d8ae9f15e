import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient, type SessionHandle } from '@fairlead/client';
import type { SessionEvent } from '@fairlead/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { useServedGateway } from './support/gateway.ts';

describe('the client, with a real gateway', { tags: ['bwrap'], timeout: 60_000 }, () => {
  const held = useServedGateway();
  let client: Client;
  let session: SessionHandle;
  beforeAll(async () => {
    const { stateDir } = held.fairlead;
    const { url } = JSON.parse(readFileSync(join(stateDir, 'gateway.json'), 'utf8')) as { url: string };
    client = createClient({ url, key: readFileSync(join(stateDir, 'key'), 'utf8').trim() });
    session = client.session((await client.sessions.create()).id);
  }, 60_000);

  it('reads, writes, edits and lists files', async () => {
    await session.write('plan.txt', 'one\ntwo\n');
    await session.edit({
      command: 'str_replace',
      path: '/workspace/plan.txt',
      old_str: 'two',
      new_str: 'three',
    });
    expect(await session.read('plan.txt')).toBe('one\nthree\n');
    await expect(session.read('missing.txt')).rejects.toMatchObject({ code: 'action-failed' });
    expect(await session.list()).toContain('plan.txt');
  });

  it('gets an answer to every question, however quickly they follow each other', async () => {
    for (let count = 0; count < 200; count += 1) await session.list();
  });

  it('runs what was sent twice under one name once', async () => {
    const command = 'echo once >> once.txt; sleep 0.3; cat once.txt';
    const [first, second] = await Promise.all([
      session.run(command, { actionId: 'the-same' }),
      session.run(command, { actionId: 'the-same' }),
    ]);
    expect(first).toMatchObject({ outcome: 'completed', output: 'once' });
    expect(second).toEqual(first);
  });

  it('ends a command when its signal says so', async () => {
    const abort = new AbortController();
    const result = await session.run('echo begun; sleep 300', {
      signal: abort.signal,
      onOutput: () => abort.abort(),
    });
    expect(result).toMatchObject({ outcome: 'cancelled', exitCode: 130 });
  });

  it('tells apart what has ended and what goes on', async () => {
    const shell = 'late';
    await session.run('true', { shell });
    const command = 'echo begun; until [ -e go ]; do sleep 0.02; done; echo finished';
    const late = await session.run(command, { shell, timeoutSeconds: 3 });
    expect(late).toMatchObject({ outcome: 'running', exitCode: null, output: 'begun' });
    expect(await session.run('true', { shell, timeoutSeconds: 0.2 })).toMatchObject({ outcome: 'not-run' });
    await session.write('go', '');
    const rest = await session.run('', { shell });
    expect(rest).toMatchObject({ outcome: 'completed', exitCode: 0, output: 'finished' });
  });

  it('watches from the beginning, in order and with nothing left out', async () => {
    await session.run('echo watched');
    const recorded: SessionEvent[] = [];
    for await (const event of session.journal()) recorded.push(event);
    const watched: SessionEvent[] = [];
    for await (const event of session.watch({ after: 0 })) {
      if (event.type === 'live') break;
      watched.push(event);
    }
    expect(watched).toEqual(recorded);
    expect(recorded.map((event) => 'seq' in event && event.seq)).toEqual(
      recorded.map((_event, index) => index + 1),
    );
  });

  it('lets a session’s own key into that session, and into no other', async () => {
    const created = await client.sessions.create();
    const inside = createClient({ url: client.url, key: created.key });
    expect(await inside.session(created.id).run('echo mine')).toMatchObject({ output: 'mine' });
    await expect(inside.session(session.id).run('echo yours')).rejects.toMatchObject({ code: 'not-found' });
    await expect(inside.sessions.list()).rejects.toMatchObject({ code: 'not-allowed' });
  });
});
