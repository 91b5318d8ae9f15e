import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSessionRequest } from '@fairlead/protocol';
import { expect, test } from 'vitest';
import { setStage, type Stage } from './support/stage.ts';

const full = { code: 'store-failed', message: expect.stringContaining('database or disk is full') };

function run({ sessions }: Stage, id: string, key?: string) {
  const event = { action: 'run', args: { command: 'true' } };
  return sessions.execute(id, { event, bodyHash: 'hash', idempotencyKey: key });
}

test('a driver that cannot pause is heard, and the session runs on', async () => {
  const stage = await setStage();
  const { id } = await stage.create();
  stage.driver.failures.set('pause', 'The freezer is broken; mend it');
  await expect(stage.sessions.pause(id)).rejects.toMatchObject({
    code: 'runtime-failed',
    message: 'The freezer is broken; mend it',
  });
  expect(await stage.sessions.get(id)).toMatchObject({ state: 'running' });
  expect(await run(stage, id)).toMatchObject({ isReplay: false });
});

test('a driver that cannot resume is heard, and the session stays paused', async () => {
  const stage = await setStage();
  const { id } = await stage.create();
  await stage.sessions.pause(id);
  stage.driver.failures.set('resume', 'The freezer is broken; mend it');
  await expect(stage.sessions.resume(id)).rejects.toMatchObject({ code: 'runtime-failed' });
  expect(await stage.sessions.get(id)).toMatchObject({ state: 'paused' });
  expect(await stage.sessions.resume(id)).toMatchObject({ state: 'running' });
});

test('a sandbox that does not start leaves nothing, and its reason is told and logged', async () => {
  const logged: string[] = [];
  const stage = await setStage({ log: (line) => void logged.push(line) });
  stage.driver.failures.set('start', 'There is no memory; buy some');
  // An engine that is not there ends nothing either.
  stage.driver.failures.set('stop', 'There is nobody to ask');
  await expect(stage.create({}, 'name')).rejects.toMatchObject({
    code: 'runtime-failed',
    message: 'The session could not be started: There is no memory; buy some',
  });
  expect(await stage.sessions.list(stage.owner.id)).toEqual([]);
  expect(stage.sessions.book.live).toEqual([]);
  expect(readdirSync(join(stage.stateDir, 'sessions'))).toEqual([]);
  expect(logged.at(-1)).toMatch(
    /^the session \w{20} could not be started and is forgotten: There is no memory/,
  );
  expect(await stage.create({}, 'name')).toMatchObject({ state: 'running' });
});

test('a sandbox that does not start leaves a failed session, with the reason, for those who know of it', async () => {
  const stage = await setStage();
  stage.driver.failures.set('start', 'There is no memory; buy some');
  const creating = stage.sessions.create(stage.owner, createSessionRequest.parse({}), {
    isAwaited: () => false,
  });
  await expect(creating).rejects.toMatchObject({
    code: 'runtime-failed',
    message: expect.stringMatching(/^The session \w{20} could not be started: There is no memory; buy some$/),
  });
  const [session] = await stage.sessions.list(stage.owner.id);
  expect(session).toMatchObject({ state: 'failed', reason: 'There is no memory; buy some' });
  expect(session!.endedAt).not.toBeNull();
  expect(await stage.sessions.resume(session!.id)).toMatchObject({ state: 'running', endedAt: null });
});

test('a session that can neither be started nor ended is failed', async () => {
  const stage = await setStage();
  const { id } = await stage.create();
  await stage.sessions.stop(id, 'enough');
  stage.driver.failures.set('start', 'There is no engine; start it');
  stage.driver.failures.set('stop', 'There is no engine; start it');
  await expect(stage.sessions.resume(id)).rejects.toMatchObject({ code: 'runtime-failed' });
  expect(await stage.sessions.get(id)).toMatchObject({
    state: 'failed',
    reason: 'There is no engine; start it',
  });
});

test('a sandbox that cannot be ended leaves the session running, and is ended by the next attempt', async () => {
  const stage = await setStage();
  const { id } = await stage.create();
  stage.driver.failures.set('stop', 'The kernel holds it; try again later');
  await expect(stage.sessions.stop(id, 'enough')).rejects.toMatchObject({ code: 'runtime-failed' });
  expect(await stage.sessions.get(id)).toMatchObject({ state: 'running' });
  expect(await run(stage, id)).toMatchObject({ isReplay: false });
  expect(await stage.sessions.stop(id, 'enough')).toMatchObject({ state: 'stopped', reason: 'enough' });
});

test('a store that fails when a session ends leaves it running: it is brought back when it is used', async () => {
  const stage = await setStage();
  const { id } = await stage.create();
  stage.breakStore(true);
  await expect(stage.sessions.stop(id, 'enough')).rejects.toMatchObject(full);
  expect(await stage.sessions.get(id)).toMatchObject({ state: 'running' });
  stage.breakStore(false);
  expect(await run(stage, id)).toMatchObject({ isReplay: false });
  expect(stage.driver.count('start')).toBe(2);
});

test('a store that fails while a session starts leaves no sandbox, and the session can be started or deleted', async () => {
  const stage = await setStage();
  const hold = Promise.withResolvers<void>();
  stage.driver.holds.set('start', hold.promise);
  const creating = stage.create();
  while (stage.driver.count('start') === 0) await nextTurn();
  stage.breakStore(true);
  hold.resolve();
  await expect(creating).rejects.toMatchObject(full);
  expect(await stage.driver.list()).toEqual([]);
  stage.breakStore(false);
  const [session] = await stage.sessions.list(stage.owner.id);
  expect(session).toMatchObject({ state: 'starting' });
  expect(await stage.sessions.resume(session!.id)).toMatchObject({ state: 'running' });
  await stage.sessions.remove(session!.id);
  expect(await stage.sessions.list(stage.owner.id)).toEqual([]);
});

test('an action that cannot be recorded is not handed over, and one that was is recorded later', async () => {
  const stage = await setStage();
  const { id } = await stage.create();
  stage.breakStore(true);
  await expect(run(stage, id, 'k')).rejects.toMatchObject(full);
  stage.breakStore(false);
  const first = await run(stage, id, 'k');
  expect(first).toMatchObject({ isReplay: false });
  expect(await run(stage, id, 'k')).toEqual({ ...first, isReplay: true });
});

test('what became of an action whose observation was lost with its session is asked for when that is resumed', async () => {
  const stage = await setStage();
  const { id } = await stage.create();
  const { journal } = stage.store;
  const action = { sessionId: id, actionId: 'a1', idempotencyKey: 'k', bodyHash: 'hash', shell: 'main' };
  await stage.sessions.stop(id, 'enough');
  const eventJson = '{"action":"run","args":{"command":"true"}}';
  await journal.beginAction({ ...action, time: new Date().toISOString(), eventJson });
  await expect(run(stage, id, 'k')).rejects.toMatchObject({
    code: 'wrong-state',
    message: expect.stringMatching(
      /^The session is stopped and what became of this action is not known; POST/,
    ),
  });
  await stage.sessions.resume(id);
  expect(await run(stage, id, 'k')).toMatchObject({ actionId: 'a1', isReplay: true });
});

test('an action wakes its session only when it is not known', async () => {
  const stage = await setStage();
  const { id } = await stage.create();
  const first = await run(stage, id, 'k');
  for (const state of ['paused', 'stopped'] as const) {
    await (state === 'paused' ? stage.sessions.pause(id) : stage.sessions.stop(id, 'enough'));
    const event = { action: 'run', args: { command: 'true' } };
    const send = (idempotencyKey: string) =>
      stage.sessions.execute(id, { event, bodyHash: 'hash', idempotencyKey, isToWake: true });
    expect(await send('k')).toEqual({ ...first, isReplay: true });
    expect(await stage.sessions.get(id)).toMatchObject({ state });
    expect(await send(`new in ${state}`)).toMatchObject({ isReplay: false });
    expect(await stage.sessions.get(id)).toMatchObject({ state: 'running' });
  }
});

test('no action gets into a session that is being ended', async () => {
  const stage = await setStage();
  const { id } = await stage.create();
  const hold = Promise.withResolvers<void>();
  stage.driver.holds.set('stop', hold.promise);
  const stopping = stage.sessions.stop(id, 'enough');
  while (stage.driver.count('stop') === 0) await nextTurn();
  await expect(run(stage, id)).rejects.toMatchObject({
    code: 'wrong-state',
    message: 'The session is stopping; try again in a moment. Nothing was executed.',
  });
  hold.resolve();
  expect(await stopping).toMatchObject({ state: 'stopped' });
});

test('a reason to stop is looked at again when it is the turn of the session', async () => {
  const stage = await setStage();
  const { id } = await stage.create();
  const hold = Promise.withResolvers<void>();
  stage.driver.holds.set('pause', hold.promise);
  const pausing = stage.sessions.pause(id);
  const stopping = stage.sessions.stopFor(id, ({ record }) =>
    record.state === 'running' ? 'it was idle' : undefined,
  );
  hold.resolve();
  await Promise.all([pausing, stopping]);
  expect(await stage.sessions.get(id)).toMatchObject({ state: 'paused' });
});

test('an ended session is forgotten unless it has gone on, or ended anew, since', async () => {
  const stage = await setStage();
  const { id } = await stage.create();
  const { endedAt } = await stage.sessions.stop(id, 'enough');
  const resuming = stage.sessions.resume(id);
  await stage.sessions.removeEnded(id, endedAt!);
  await resuming;
  expect(await stage.sessions.get(id)).toMatchObject({ state: 'running' });
  const again = await stage.sessions.stop(id, 'enough');
  await stage.sessions.removeEnded(id, new Date(Date.parse(again.endedAt!) - 1).toISOString());
  expect(await stage.sessions.get(id)).toMatchObject({ state: 'stopped' });
  await stage.sessions.removeEnded(id, again.endedAt!);
  await expect(stage.sessions.get(id)).rejects.toMatchObject({ code: 'not-found' });
});

test('a session that is deleted while it starts is started no further', async () => {
  const stage = await setStage({ startsAtOnce: 1 });
  const hold = Promise.withResolvers<void>();
  stage.driver.holds.set('start', hold.promise);
  const first = stage.create();
  const second = stage.create();
  while ((await stage.sessions.list(stage.owner.id)).length < 2) await nextTurn();
  const waiting = (await stage.sessions.list(stage.owner.id)).find(
    ({ id }) => !stage.driver.asked.includes(`start ${id}`),
  )!;
  const removing = stage.sessions.remove(waiting.id);
  const refused = expect(second).rejects.toMatchObject({
    code: 'wrong-state',
    message: `The session ${waiting.id} was ended while it was starting: it was deleted`,
  });
  hold.resolve();
  await Promise.all([removing, refused]);
  expect(await first).toMatchObject({ state: 'running' });
  expect(stage.driver.asked).not.toContain(`start ${waiting.id}`);
});

test('an owner has no more sessions than it may have, also when it asks for them at once', async () => {
  const stage = await setStage({ maxSessionsPerOwner: 2 });
  const asked = await Promise.allSettled(Array.from({ length: 6 }, () => stage.create()));
  expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  expect(await stage.sessions.list(stage.owner.id)).toHaveLength(2);
  expect(await stage.driver.list()).toHaveLength(2);
});

test('a warm sandbox that cannot be used after all is ended with its files', async () => {
  const stage = await setStage({ warmSize: 1, maxSessionsPerOwner: 2 });
  await stage.create({ env: { NOT: 'plain' } }, 'name');
  stage.sessions.warm.fill();
  while (stage.sessions.warm.ids.length === 0) await nextTurn();
  const [warm] = stage.sessions.warm.ids;
  await expect(stage.create({}, 'name')).rejects.toMatchObject({
    code: 'conflict',
    message: 'There is a session "name" already; use it or delete it',
  });
  expect(stage.driver.asked).toContain(`stop ${warm}`);
  expect(existsSync(join(stage.stateDir, 'sessions', warm!))).toBe(false);
});

test('a warm sandbox is not left behind when the store fails', async () => {
  const stage = await setStage({ warmSize: 1 });
  stage.sessions.warm.fill();
  while (stage.sessions.warm.ids.length === 0) await nextTurn();
  const [warm] = stage.sessions.warm.ids;
  stage.breakStore(true);
  await expect(stage.create()).rejects.toMatchObject(full);
  expect(stage.driver.asked).toContain(`stop ${warm}`);
  expect(readdirSync(join(stage.stateDir, 'sessions'))).not.toContain(warm);
});

test('a watch of a session that is deleted at that moment ends', async () => {
  const stage = await setStage();
  const { id } = await stage.create();
  const watching = (async () => {
    const all: string[] = [];
    for await (const texts of stage.sessions.watch(id, { after: 0, signal: new AbortController().signal }))
      all.push(...texts);
    return all;
  })();
  await stage.sessions.remove(id);
  const told = await watching.catch((error: Error) => error);
  if (told instanceof Error) expect(told).toMatchObject({ code: 'not-found' });
  const late = stage.sessions.watch(id, { signal: new AbortController().signal });
  await expect(late.next()).rejects.toMatchObject({ code: 'not-found' });
});
