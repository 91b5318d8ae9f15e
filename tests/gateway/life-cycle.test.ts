import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { processesOf } from '../drivers/support/processes.ts';
import type { Caller } from './support/caller.ts';
import { needs } from './support/needs.ts';
import { usePlace } from './support/place.ts';
import { until } from './support/wait.ts';

describe('a session', needs, () => {
  const place = usePlace();
  let owner: Caller;
  beforeAll(async () => {
    ({ owner } = await place.start());
  });

  test('runs when it is created, and is found by its id and in the list', async () => {
    const created = await owner.create({ labels: { team: 'blue' } });
    expect(created).toMatchObject({ state: 'running', reason: null, driver: 'local', owner: 'operator' });
    expect(created.id).toMatch(/^[a-z][a-z0-9]{19}$/);
    expect(await owner.run(created.id, 'pwd; exit_with() { return 7; }; exit_with')).toMatchObject({
      status: 200,
      content: '/workspace',
      exitCode: 7,
    });
    const { key, ...session } = created;
    expect(await owner.session(created.id)).toEqual({ ...session, lastActiveAt: expect.any(String) });
    expect(await owner.sessions()).toContainEqual(expect.objectContaining({ id: created.id }));
    expect(await owner.with(key).run(created.id, 'true')).toMatchObject({ exitCode: 0 });
  });

  test('has a life of its own beside the others', async () => {
    const [one, other] = await Promise.all([owner.create(), owner.create()]);
    await owner.run(one.id, 'echo mine > file; export WHO=one');
    expect(await owner.run(other.id, 'ls -A; echo "[$WHO]"')).toMatchObject({ content: '[]' });
  });

  test('is found by its labels and states', async () => {
    const red = await owner.create({ labels: { colour: 'red', size: 'small' } });
    const blue = await owner.create({ labels: { colour: 'blue', size: 'small' } });
    await owner.change(blue.id, 'stop');
    const ids = async (query: string) => (await owner.sessions(query)).map(({ id }) => id);
    expect(await ids('?label=size=small')).toEqual([blue.id, red.id]);
    expect(await ids('?label=size=small&label=colour=red')).toEqual([red.id]);
    expect(await ids('?label=size=small&state=stopped')).toEqual([blue.id]);
    expect(await ids('?label=colour=green')).toEqual([]);
  });

  test('stands still while it is paused, with the action that runs in it, and goes on where it was', async () => {
    const { id } = await owner.create();
    const ticks = join(place.workspaceOf(id), 'ticks');
    const running = owner.run(
      id,
      'while [ ! -e go ]; do echo x >> ticks; sleep 0.02; done; echo "went on in $BASHPID"',
    );
    await until(() => existsSync(ticks) && readFileSync(ticks).length > 6, 'ticks');
    expect(await owner.change(id, 'pause')).toMatchObject({ state: 'paused' });

    const counted = readFileSync(ticks).length;
    writeFileSync(join(place.workspaceOf(id), 'go'), '');
    await delay(300);
    expect(readFileSync(ticks)).toHaveLength(counted);
    expect(await owner.run(id, 'true')).toMatchObject({
      status: 409,
      content: expect.stringContaining(`The session is paused; POST /api/sessions/${id}/resume first`),
    });
    // Also what is known of it can be had meanwhile.
    expect((await owner.journal(id)).at(-1)).toMatchObject({ type: 'state', state: 'paused' });
    expect(await owner.change(id, 'pause')).toMatchObject({ state: 'paused' });

    expect(await owner.change(id, 'resume')).toMatchObject({ state: 'running' });
    expect(await running).toMatchObject({ content: expect.stringMatching(/^went on in/), exitCode: 0 });
  });

  test('keeps its files and its environment, and nothing that ran, when it is stopped and resumed', async () => {
    const { id } = await owner.create({ env: { COLOUR: 'green' } });
    await owner.run(id, 'echo kept > file; echo kept > ~/file; export WHO=me; sleep 1000 &');
    expect(await owner.change(id, 'stop')).toMatchObject({
      state: 'stopped',
      reason: 'stopped by its owner',
    });
    expect(processesOf(id)).toEqual([]);
    expect(await owner.run(id, 'true')).toMatchObject({
      status: 409,
      content: expect.stringContaining('The session is stopped; POST'),
    });
    expect(await owner.change(id, 'stop')).toMatchObject({ state: 'stopped' });

    expect(await owner.change(id, 'resume')).toMatchObject({ state: 'running', reason: null });
    expect(await owner.run(id, 'cat file ~/file; echo "$COLOUR [$WHO]"; pgrep sleep')).toMatchObject({
      content: 'kept\nkept\ngreen []',
      exitCode: 1,
    });
    expect(await owner.change(id, 'resume')).toMatchObject({ state: 'running' });
  });

  test('cannot be paused when it does not run', async () => {
    const { id } = await owner.create();
    await owner.change(id, 'stop');
    const { status, json } = await owner.call('POST', `/api/sessions/${id}/pause`);
    expect(status).toBe(409);
    expect(json['detail']).toBe('The session is stopped; only one that runs can be paused');
    expect(await owner.session(id)).toMatchObject({ state: 'stopped' });
  });

  test('leaves no process, no file and no record when it is deleted, whatever it was doing', async () => {
    const { id } = await owner.create();
    await owner.run(id, 'mkdir -p closed/deep; touch closed/deep/file; chmod 0 closed; sleep 1000 &');
    const running = owner.run(id, 'sleep 1000');
    await until(
      async () => (await owner.journal(id)).filter(({ type }) => type === 'action').length === 2,
      'it',
    );
    await owner.remove(id);
    expect(await running).toMatchObject({ status: 200, exitCode: expect.not.toBeOneOf([0]) });
    expect(processesOf(id)).toEqual([]);
    expect(existsSync(place.directoryOf(id))).toBe(false);
    expect((await owner.call('GET', `/api/sessions/${id}`)).status).toBe(404);
    expect((await owner.call('DELETE', `/api/sessions/${id}`)).status).toBe(404);
    expect(await owner.sessions()).not.toContainEqual(expect.objectContaining({ id }));
    const kept = await place.useStore((store) => store.journal.read(id, 0, { records: 10, bytes: 1_000 }));
    expect(kept).toEqual([]);
  });

  test('is deleted from any state', async () => {
    const [paused, stopped] = await Promise.all([owner.create(), owner.create()]);
    await owner.change(paused.id, 'pause');
    await owner.change(stopped.id, 'stop');
    await Promise.all([owner.remove(paused.id), owner.remove(stopped.id)]);
    for (const { id } of [paused, stopped]) {
      expect(processesOf(id)).toEqual([]);
      expect(existsSync(place.directoryOf(id))).toBe(false);
    }
  });
});

describe.concurrent('the time of a session', needs, () => {
  const place = usePlace();
  let owner: Caller;
  beforeAll(async () => {
    ({ owner } = await place.start());
  });
  const isOver = (id: string) =>
    until(async () => (await owner.session(id)).state === 'stopped', 'its end', 30_000);

  test('ends when nothing happens in it', async () => {
    const { id } = await owner.create({ idleTimeoutSeconds: 1 });
    await isOver(id);
    expect(await owner.session(id)).toMatchObject({ reason: 'it was idle for 1 seconds' });
    expect(processesOf(id)).toEqual([]);
    expect(await owner.change(id, 'resume')).toMatchObject({ state: 'running', reason: null });
  });

  test('goes on while an action runs, however long that takes', async () => {
    const { id } = await owner.create({ idleTimeoutSeconds: 3 });
    expect(await owner.run(id, 'sleep 6.5; echo done')).toMatchObject({ content: 'done', exitCode: 0 });
    expect(await owner.session(id)).toMatchObject({ state: 'running' });
    await isOver(id);
  });

  test.for([
    { what: 'actions', use: (id: string) => owner.run(id, 'true') },
    { what: 'requests that are passed on', use: (id: string) => owner.call('GET', `/runtimes/${id}/alive`) },
    { what: 'being extended', use: (id: string) => owner.extend(id) },
  ])('begins anew with $what', async ({ use }) => {
    const { id } = await owner.create({ idleTimeoutSeconds: 4 });
    for (let round = 0; round < 13; round += 1) {
      await use(id);
      await delay(500);
    }
    expect(await owner.session(id)).toMatchObject({ state: 'running' });
    await isOver(id);
  });

  test('does not pass for a paused one', async () => {
    const { id } = await owner.create({ idleTimeoutSeconds: 3 });
    await owner.change(id, 'pause');
    await delay(5_500);
    expect(await owner.session(id)).toMatchObject({ state: 'paused' });
    await owner.change(id, 'resume');
    expect(await owner.run(id, 'true')).toMatchObject({ exitCode: 0 });
  });

  test('ends with its maximum age, whatever happens, and goes on only when it is extended', async () => {
    const { id } = await owner.create({ maxAgeSeconds: 4 });
    const running = owner.run(id, 'sleep 1000');
    await isOver(id);
    expect(await owner.session(id)).toMatchObject({ reason: 'it has reached its maximum age' });
    expect(await running).toMatchObject({ exitCode: expect.not.toBeOneOf([0]) });

    const { status, json } = await owner.call('POST', `/api/sessions/${id}/resume`);
    expect(status).toBe(409);
    expect(json['detail']).toMatch(/maximum age; POST \/api\/sessions\/\w+\/extend with "seconds" first/);
    await owner.extend(id, 600);
    expect(await owner.change(id, 'resume')).toMatchObject({ state: 'running' });
  });

  test('is longer when it was extended, and never shorter', async () => {
    const { id, expiresAt } = await owner.create({ maxAgeSeconds: 4 });
    const extended = await owner.extend(id, 600);
    expect(Date.parse(extended.expiresAt!)).toBeGreaterThan(Date.parse(expiresAt!) + 500_000);
    expect((await owner.extend(id, 1)).expiresAt).toBe(extended.expiresAt);
    await delay(5_500);
    expect(await owner.session(id)).toMatchObject({ state: 'running' });
  });
});

describe('what a gateway limits', needs, () => {
  const place = usePlace();
  let owner: Caller;
  beforeAll(async () => {
    ({ owner } = await place.start({ maxSessionsPerOwner: 2, retentionSeconds: 8 }));
  });

  test('is how many sessions an owner has, also when they are asked for at once', async () => {
    const other = owner.with(await place.addTenant('other'));
    const answers = await Promise.all(Array.from({ length: 5 }, () => other.tryCreate()));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      201, 201, 429, 429, 429,
    ]);
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.json['detail']).toBe('You have 2 sessions, the most this gateway allows; delete some');
    const sessions = await other.sessions();
    expect(sessions).toHaveLength(2);
    await other.remove(sessions[0]!.id);
    expect((await other.tryCreate()).status).toBe(201);
    expect((await owner.tryCreate()).status).toBe(201);
  });

  test('is how long an ended session is kept', async () => {
    const tenant = owner.with(await place.addTenant('tenant'));
    const [ended, resumed] = await Promise.all([tenant.create(), tenant.create()]);
    await tenant.run(ended.id, 'echo x > file');
    await Promise.all([tenant.change(ended.id, 'stop'), tenant.change(resumed.id, 'stop')]);
    expect(existsSync(place.workspaceOf(ended.id))).toBe(true);
    await tenant.change(resumed.id, 'resume');
    await until(
      async () => (await tenant.call('GET', `/api/sessions/${ended.id}`)).status === 404,
      'its end',
      30_000,
    );
    await until(() => !existsSync(place.directoryOf(ended.id)), 'the end of its files');
    expect(await tenant.session(resumed.id)).toMatchObject({ state: 'running' });
  });
});
