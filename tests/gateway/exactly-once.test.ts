import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { firstOf, processesOf, serverOf } from '../drivers/support/processes.ts';
import type { Caller } from './support/caller.ts';
import { needs } from './support/needs.ts';
import { usePlace } from './support/place.ts';
import { until } from './support/wait.ts';

describe('an action', needs, () => {
  const place = usePlace();
  let owner: Caller;
  let id: string;
  beforeAll(async () => {
    ({ owner } = await place.start());
    ({ id } = await owner.create());
  });
  const linesOf = (name: string) => countLines(join(place.workspaceOf(id), name));

  test('runs once for one key, and its observation is told again to whoever asks again', async () => {
    const send = () => owner.run(id, 'echo x >> once; date +%N; (exit 3)', { key: 'once' });
    const first = await send();
    expect(first).toMatchObject({ status: 200, exitCode: 3, isReplay: false });
    for (let round = 0; round < 3; round += 1) expect(await send()).toEqual({ ...first, isReplay: true });
    expect(linesOf('once')).toBe(1);
  });

  test('runs once when it is sent twenty times at once', async () => {
    const send = () => owner.run(id, 'echo x >> burst; date +%N; sleep 0.3', { key: 'burst' });
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    expect(linesOf('burst')).toBe(1);
    expect(new Set(answers.map(({ content }) => content)).size).toBe(1);
    expect(new Set(answers.map(({ actionId }) => actionId)).size).toBe(1);
    expect(answers.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
  });

  test('runs twice without a key', async () => {
    for (let round = 0; round < 2; round += 1) await owner.run(id, 'echo x >> twice');
    expect(linesOf('twice')).toBe(2);
  });

  test('is refused when its key stands for another', async () => {
    await owner.run(id, 'echo x >> reused', { key: 'reused' });
    const refused = await owner.run(id, 'echo y >> reused', { key: 'reused' });
    expect(refused).toMatchObject({
      status: 422,
      content: expect.stringContaining('This Idempotency-Key was used with a different body'),
    });
    expect(linesOf('reused')).toBe(1);
  });

  test('is refused when its id is taken, by one that has ended or one that runs', async () => {
    await owner.run(id, 'echo x >> taken', { actionId: 'taken' });
    const running = owner.run(id, 'until [ -e go ]; do sleep 0.02; done', {
      actionId: 'taken-too',
      shell: 'a',
    });
    await until(
      async () =>
        (await owner.journal(id)).some((event) => 'actionId' in event && event.actionId === 'taken-too'),
      'it',
    );
    for (const actionId of ['taken', 'taken-too']) {
      expect(await owner.run(id, 'echo y >> taken', { actionId })).toMatchObject({
        status: 409,
        content: `X-Action-Id "${actionId}" belongs to another action; choose a new one`,
      });
    }
    expect(linesOf('taken')).toBe(1);
    writeFileSync(join(place.workspaceOf(id), 'go'), '');
    expect(await running).toMatchObject({ exitCode: 0, actionId: 'taken-too' });
  });

  test('has its key in its own session only', async () => {
    const other = await owner.create();
    await owner.run(id, 'echo x >> shared-key', { key: 'shared' });
    expect(await owner.run(other.id, 'echo other', { key: 'shared' })).toMatchObject({ content: 'other' });
  });
});

describe('an action that is sent again when its session does not run', needs, () => {
  const place = usePlace();
  let owner: Caller;
  beforeAll(async () => {
    ({ owner } = await place.start());
  });
  const linesOf = (id: string) => countLines(join(place.workspaceOf(id), 'ran'));

  test.each(['paused', 'stopped', 'failed'] as const)(
    'has its observation in one that is %s',
    async (state) => {
      const { id, key } = await owner.create();
      const command = 'echo x >> ran; date +%N; (exit 4)';
      const first = await owner.run(id, command, { key: 'k' });
      const v0 = () => owner.runV0(id, 'echo x >> ran; date +%N', { key: 'v0' });
      const firstV0 = await v0();
      if (state === 'paused') await owner.change(id, 'pause');
      if (state === 'stopped') await owner.change(id, 'stop');
      if (state === 'failed') await failSession(id);
      expect(await owner.session(id)).toMatchObject({ state });
      for (const caller of [owner, owner.with(key)])
        expect(await caller.run(id, command, { key: 'k' })).toEqual({ ...first, isReplay: true });
      // Also where a new action would resume the session.
      expect(await v0()).toEqual({ ...firstV0, isReplay: true });
      expect(await owner.run(id, 'true', { key: 'k' })).toMatchObject({ status: 422 });
      expect(await owner.run(id, command, { key: 'new' })).toMatchObject({
        status: 409,
        content: `The session is ${state}; POST /api/sessions/${id}/resume first. Nothing was executed.`,
      });
      expect(await owner.session(id)).toMatchObject({ state });
      expect(linesOf(id)).toBe(2);
    },
  );

  /** Ends its sandbox more often than it is started again. */
  async function failSession(id: string): Promise<void> {
    for (let round = 0; round < 6; round += 1) {
      const running = owner.run(id, 'sleep 1000');
      await until(async () => (await owner.journal(id)).at(-1)?.type === 'action', 'the command');
      process.kill(await until(() => firstOf(id), 'the sandbox'), 'SIGKILL');
      await running;
    }
  }

  const command = 'echo x >> ran; until [ -e go ]; do sleep 0.02; done; date +%N';
  async function unfinished(): Promise<{ id: string; running: ReturnType<Caller['run']> }> {
    const { id } = await owner.create();
    const running = owner.run(id, command, { key: 'k' });
    await until(() => existsSync(join(place.workspaceOf(id), 'ran')), 'the command');
    return { id, running };
  }

  test('waits for its observation in one that is paused', async () => {
    const { id, running } = await unfinished();
    await owner.change(id, 'pause');
    const again = owner.run(id, command, { key: 'k' });
    writeFileSync(join(place.workspaceOf(id), 'go'), '');
    await owner.change(id, 'resume');
    const first = await running;
    expect(first).toMatchObject({ status: 200, exitCode: 0, isReplay: false });
    expect(await again).toEqual({ ...first, isReplay: true });
    expect(linesOf(id)).toBe(1);
  });

  test('has the observation that it ended with in one that was stopped meanwhile, and is never run again', async () => {
    const { id, running } = await unfinished();
    const stopping = owner.change(id, 'stop');
    const [again] = await Promise.all([owner.run(id, command, { key: 'k' }), stopping]);
    const first = await running;
    expect(first).toMatchObject({ status: 200, isReplay: false });
    expect(again).toEqual({ ...first, isReplay: true });
    expect(await owner.run(id, command, { key: 'k' })).toEqual({ ...first, isReplay: true });
    await owner.change(id, 'resume');
    expect(await owner.run(id, command, { key: 'k' })).toEqual({ ...first, isReplay: true });
    expect(linesOf(id)).toBe(1);
  });
});

describe('an action whose sandbox breaks', needs, () => {
  const place = usePlace();
  let owner: Caller;
  beforeAll(async () => {
    ({ owner } = await place.start());
  });

  /** A session with a command that runs until it is told to end. */
  async function working(): Promise<{ id: string; running: ReturnType<Caller['run']>; letEnd(): void }> {
    const { id } = await owner.create();
    const path = (name: string) => join(place.workspaceOf(id), name);
    const command = 'echo x >> ran; until [ -e go ]; do sleep 0.02; done; echo "the end"; (exit 5)';
    const running = owner.run(id, command, { key: 'k' });
    await until(() => existsSync(path('ran')), 'the command');
    return { id, running, letEnd: () => writeFileSync(path('go'), '') };
  }

  test('gets its real observation when the sandbox server is killed: the command goes on', async () => {
    const { id, running, letEnd } = await working();
    const killed = serverOf(id);
    process.kill(killed, 'SIGKILL');
    await until(() => processesOf(id).every((pid) => pid !== killed), 'its end');
    letEnd();
    expect(await running).toMatchObject({ content: 'the end', exitCode: 5, isReplay: false });
    expect(await owner.run(id, 'true', { key: 'k' })).toMatchObject({ status: 422 });
    expect(countLines(join(place.workspaceOf(id), 'ran'))).toBe(1);
    expect(await owner.session(id)).toMatchObject({ state: 'running', reason: null });
  });

  test('ends as unknown when the whole sandbox is killed, and the session is usable again', async () => {
    const { id, running } = await working();
    process.kill(firstOf(id)!, 'SIGKILL');
    const observed = await running;
    expect(observed).toMatchObject({ status: 200, observation: 'error', exitCode: -1 });
    expect(observed.content).toMatch(/outcome of this action is unknown.*was not run again/);
    expect(await owner.session(id)).toMatchObject({
      state: 'running',
      reason: 'its sandbox ended and was started again: what ran in it is lost, its files are not',
    });
    expect(await owner.run(id, 'cat ran')).toMatchObject({ content: 'x', exitCode: 0 });
    const events = await owner.journal(id);
    expect(events.filter(({ type }) => type === 'observation')).toHaveLength(2);
  });

  test('is the first to find out that the sandbox is gone, and runs in the next', async () => {
    const { id } = await owner.create();
    await owner.run(id, 'echo kept > file');
    const first = firstOf(id)!;
    process.kill(first, 'SIGKILL');
    await until(() => processesOf(id).length === 0, 'its end');
    const ran = await owner.run(id, 'cat file');
    // What was sent into a connection that had just broken is told as not run.
    if (ran.observation === 'error') expect(ran.content).toMatch(/not run/);
    else expect(ran).toMatchObject({ content: 'kept', exitCode: 0 });
    expect(await owner.run(id, 'cat file')).toMatchObject({ content: 'kept', exitCode: 0 });
  });

  test('ends with a failed session when the sandbox ends again and again', async () => {
    const { id } = await owner.create();
    for (let round = 0; round < 6; round += 1) {
      const running = owner.run(id, 'sleep 1000', { key: `k${round}` });
      await until(async () => (await owner.journal(id)).at(-1)?.type === 'action', 'the command');
      process.kill(await until(() => firstOf(id), 'the sandbox'), 'SIGKILL');
      await running;
    }
    expect(await owner.session(id)).toMatchObject({
      state: 'failed',
      reason: 'its sandbox ended 6 times within a minute',
    });
    expect(processesOf(id)).toEqual([]);
    await owner.change(id, 'resume');
    expect(await owner.run(id, 'echo back')).toMatchObject({ content: 'back' });
  });
});

function countLines(path: string): number {
  return readFileSync(path, 'utf8').split('\n').length - 1;
}
