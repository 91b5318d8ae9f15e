import { expect, test } from 'vitest';
import type { SessionState } from '@fairlead/protocol';
import { adoptSessions } from '../../src/sessions/adopt.ts';
import { action, everything, finish, session } from '../store/support/records.ts';
import { setStage, type Stage } from './support/stage.ts';

/** What an earlier gateway has left: a session whose first action has ended, and whose next two have not. */
async function leave({ store, owner }: Stage, state: SessionState): Promise<string> {
  const id = 's'.repeat(20);
  await store.sessions.add(session(id, owner.id, { state }));
  for (const name of ['done', 'cut-off', 'never-heard-of'])
    await store.journal.beginAction(action(id, name, { idempotencyKey: `key of ${name}`, bodyHash: 'hash' }));
  await finish(store, id, 'done', { observationJson: '{"observation":"run","content":"done"}' });
  return id;
}

function adopt({ store, sessions, driver }: Stage): Promise<void> {
  return adoptSessions({ store, sessions, drivers: new Map([['local', driver]]), log: () => undefined });
}

async function observations({ store }: Stage, id: string): Promise<[string, string][]> {
  const records = await store.journal.read(id, 0, everything);
  return records.flatMap((record) =>
    record.type === 'observation'
      ? [[record.actionId, (JSON.parse(record.eventJson) as { content: string }).content]]
      : [],
  );
}

test.each([
  ['running', 'stopped', 'its sandbox ended while no gateway was running'],
  ['paused', 'stopped', 'its sandbox ended while no gateway was running'],
  ['starting', 'failed', 'the gateway ended while the session was starting; resume it'],
] as const)(
  'what had not ended in a session that was %s, and is gone, is told as unknown',
  async (left, state, reason) => {
    const stage = await setStage();
    const id = await leave(stage, left);
    await adopt(stage);
    expect(await stage.sessions.get(id)).toMatchObject({ state, reason });
    expect(stage.sessions.book.live).toEqual([]);
    const unknown =
      `ERROR: The outcome of this action is unknown: ${reason}. It was not run again; ` +
      'look at its effects before you repeat it.';
    expect(await observations(stage, id)).toEqual([
      ['done', 'done'],
      ['cut-off', unknown],
      ['never-heard-of', unknown],
    ]);
    expect(await stage.store.journal.unfinished(id)).toEqual([]);
  },
);

test('a driver that cannot tell what is left fails the session, and its unfinished actions with that', async () => {
  const stage = await setStage();
  const id = await leave(stage, 'running');
  stage.driver.status = () => Promise.reject(new Error('There is no engine; start it'));
  await adopt(stage);
  expect(await stage.sessions.get(id)).toMatchObject({
    state: 'failed',
    reason: 'There is no engine; start it',
  });
  expect((await observations(stage, id))[1]).toEqual([
    'cut-off',
    expect.stringContaining('is unknown: There is no engine; start it'),
  ]);
});

test('what was told as unknown stays so: for who sends it again, when the session goes on, and for the next gateway', async () => {
  const stage = await setStage();
  const id = await leave(stage, 'running');
  await adopt(stage);
  const told = await observations(stage, id);
  const event = { action: 'run', args: { command: 'echo cut-off' } };
  const request = { event, bodyHash: 'hash', idempotencyKey: 'key of cut-off' };
  const answer = await stage.sessions.execute(id, request);
  expect(answer).toMatchObject({ actionId: 'cut-off', isReplay: true });
  expect(answer.observationJson).toContain('is unknown');
  await stage.sessions.resume(id);
  expect(await stage.sessions.execute(id, request)).toEqual(answer);
  await stage.sessions.stop(id, 'enough');
  await adopt(stage);
  expect(await observations(stage, id)).toEqual(told);
});
