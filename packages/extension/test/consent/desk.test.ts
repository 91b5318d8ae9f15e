import { setImmediate } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { Approval, ApprovalRequest } from '../../src/consent/approval.ts';
import { ConsentDesk, type DeskParts } from '../../src/consent/desk.ts';
import { Grants } from '../../src/consent/grants.ts';
import type { ActionScope } from '../../src/sessions/action-scope.ts';
import { commandScope } from '../support/action-scope.ts';

const npmTest: ApprovalRequest = {
  kind: 'run',
  command: 'npm test',
  shell: 'main',
  isInput: false,
  cwd: undefined,
};
const edit = { kind: 'edit', uri: 'file:///w/a.ts', path: 'a.ts', before: 'a', after: 'b' } as const;

describe('an action that needs no question', () => {
  test('passes at once when the setting allows it', async () => {
    const { desk, shown, told } = open({ settingOf: () => 'allow' });
    expect(await desk.pass(scope(), npmTest)).toEqual({ kind: 'allowed', changed: undefined });
    expect(shown).toEqual([]);
    expect(told).toEqual([]);
  });

  test('is refused at once when the setting denies it, and the watchers hear why', async () => {
    const { desk, shown, told } = open({ settingOf: () => 'deny' });
    expect(await desk.pass(scope(), npmTest)).toMatchObject({ kind: 'denied' });
    expect(shown).toEqual([]);
    expect(told).toMatchObject([{ state: 'rejected', reason: expect.stringContaining('deny') }]);
  });

  test('is refused in a folder without trust, and the user gets a hint', async () => {
    const { desk, parts } = open({ settingOf: () => 'allow', isTrusted: () => false });
    expect(await desk.pass(scope(), npmTest)).toMatchObject({ kind: 'denied' });
    expect(parts.untrusted).toHaveBeenCalledOnce();
    const read = { kind: 'ask', capability: 'read', title: 'read a.ts', detail: '' } as const;
    expect(await desk.pass(scope(), read)).toMatchObject({ kind: 'allowed' });
  });
});

describe('an action that waits', () => {
  test('passes when the user accepts it', async () => {
    const { desk, shown, told } = open();
    const passed = desk.pass(scope(), npmTest);
    expect(desk.list()).toHaveLength(1);
    expect(shown).toHaveLength(1);
    expect(desk.answer(first(desk).id, { kind: 'accept' })).toBe(true);
    expect(await passed).toEqual({ kind: 'allowed', changed: undefined });
    expect(shown).toEqual([]);
    expect(desk.list()).toEqual([]);
    expect(told).toEqual([
      { type: 'approval', actionId: 'a1', capability: 'run', state: 'waiting', reason: null },
      { type: 'approval', actionId: 'a1', capability: 'run', state: 'approved', reason: null },
    ]);
  });

  test('passes as the user changed it', async () => {
    const { desk, told } = open();
    const passed = desk.pass(scope(), npmTest);
    desk.answer(first(desk).id, { kind: 'accept', changed: 'npm test -- --bail' });
    expect(await passed).toEqual({ kind: 'allowed', changed: 'npm test -- --bail' });
    expect(told.at(-1)).toMatchObject({ state: 'changed' });
  });

  test('is refused with the reason that the user gives', async () => {
    const { desk, told } = open();
    const passed = desk.pass(scope(), npmTest);
    desk.answer(first(desk).id, { kind: 'reject', reason: 'not now' });
    expect(await passed).toEqual({ kind: 'rejected', reason: 'not now' });
    expect(told.at(-1)).toMatchObject({ state: 'rejected', reason: 'not now' });
  });

  test('is decided once: a second answer is told that it comes too late', async () => {
    const { desk } = open();
    const passed = desk.pass(scope(), npmTest);
    const { id } = first(desk);
    desk.answer(id, { kind: 'accept' });
    expect(desk.answer(id, { kind: 'reject', reason: '' })).toBe(false);
    expect(await passed).toMatchObject({ kind: 'allowed' });
  });

  test('is withdrawn when it is cancelled', async () => {
    const { desk, shown, told } = open();
    const abort = new AbortController();
    const passed = desk.pass(scope({ signal: abort.signal }), npmTest);
    abort.abort();
    expect(await passed).toEqual({ kind: 'cancelled' });
    expect(shown).toEqual([]);
    expect(told.at(-1)).toMatchObject({ state: 'cancelled' });
  });

  test('is taken away without an answer when its session goes on elsewhere: nothing can allow it here', async () => {
    let setting: 'ask' | 'allow' = 'ask';
    const { desk, shown, told } = open({ settingOf: () => setting, timeoutSeconds: () => 0.05 });
    const ended = vi.fn();
    void desk.pass(scope({ deadlineMs: Infinity }), npmTest).then(ended);
    const { id } = first(desk);
    const other = desk.pass(scope({ agent: { sessionId: 's2', name: 'other', owner: 'ann' } }), npmTest);
    desk.withdraw(scope().agent.sessionId);
    expect(shown.map(({ agent }) => agent.name)).toEqual(['other']);
    expect(desk.list()).toEqual(shown);
    expect(desk.answer(id, { kind: 'accept' })).toBe(false);
    // The other one has waited for as long, and expires.
    expect(await other).toMatchObject({ kind: 'expired' });
    setting = 'allow';
    desk.reconsider();
    await setImmediate();
    expect(ended).not.toHaveBeenCalled();
    expect(told.map(({ state }) => state)).toEqual(['waiting', 'waiting', 'expired']);
  });

  test('is never shown when it was cancelled before', async () => {
    const { desk, parts } = open();
    expect(await desk.pass(scope({ signal: AbortSignal.abort() }), npmTest)).toEqual({ kind: 'cancelled' });
    expect(parts.present).not.toHaveBeenCalled();
  });

  test('expires after the time that the user has, when the action has no deadline', async () => {
    const { desk, shown, told } = open({ timeoutSeconds: () => 0.05 });
    expect(await desk.pass(scope({ deadlineMs: Infinity }), edit)).toEqual({ kind: 'expired', seconds: 1 });
    expect(shown).toEqual([]);
    expect(told.at(-1)).toMatchObject({ state: 'expired' });
  });

  test('expires a second before the deadline of the action, so that the agent still hears of it', async () => {
    const { desk } = open();
    const startedMs = performance.now();
    const outcome = await desk.pass(scope({ deadlineMs: startedMs + 1100 }), npmTest);
    expect(outcome).toMatchObject({ kind: 'expired' });
    expect(performance.now() - startedMs).toBeLessThan(1100);
  });

  test('is not shown when there is no time left to answer', async () => {
    const { desk, parts, told } = open();
    const outcome = await desk.pass(scope({ deadlineMs: performance.now() + 500 }), edit);
    expect(outcome).toEqual({ kind: 'expired', seconds: 0 });
    expect(parts.present).not.toHaveBeenCalled();
    expect(told).toMatchObject([{ state: 'expired' }]);
  });
});

describe('what the user allows for longer', () => {
  test('holds for the session of that agent, releases what waits already, and asks for all others', async () => {
    const { desk } = open();
    const passed = ['a1', 'a2'].map((actionId) => desk.pass(scope({ actionId }), edit));
    const foreign = desk.pass(scope({ agent: { sessionId: 's2', name: 'other', owner: 'ann' } }), edit);
    desk.answer(first(desk).id, { kind: 'accept', remember: 'session' });
    expect(await Promise.all(passed)).toEqual([1, 2].map(() => ({ kind: 'allowed', changed: undefined })));
    expect(await desk.pass(scope(), edit)).toMatchObject({ kind: 'allowed' });
    expect(desk.list().map(({ agent }) => agent.name)).toEqual(['other']);
    desk.answer(first(desk).id, { kind: 'reject', reason: '' });
    expect(await foreign).toMatchObject({ kind: 'rejected' });
  });

  test('in the workspace holds for every agent', async () => {
    const { desk } = open();
    const passed = desk.pass(scope(), npmTest);
    desk.answer(first(desk).id, { kind: 'accept', remember: 'workspace' });
    await passed;
    const agent = { sessionId: 's2', name: 'other', owner: 'ann' };
    expect(await desk.pass(scope({ agent }), npmTest)).toMatchObject({ kind: 'allowed' });
  });
});

test('what is allowed for always lets the others pass as the user has changed them', async () => {
  const changedText = ({ request }: Approval) => (request.kind === 'edit' ? 'b, without a line' : undefined);
  const { desk, told } = open({ changedText });
  const changed = desk.pass(scope(), edit);
  const another = desk.pass(scope(), { ...edit, path: 'b.ts' });
  desk.answer(desk.list()[1]!.id, { kind: 'accept', remember: 'session' });
  expect(await another).toEqual({ kind: 'allowed', changed: undefined });
  expect(await changed).toEqual({ kind: 'allowed', changed: 'b, without a line' });
  expect(told.at(-1)).toMatchObject({ state: 'changed' });
});

test('a setting that becomes strict while an action waits decides it', async () => {
  let setting: 'ask' | 'deny' = 'ask';
  const { desk } = open({ settingOf: () => setting });
  const passed = desk.pass(scope(), npmTest);
  setting = 'deny';
  desk.reconsider();
  expect(await passed).toMatchObject({ kind: 'denied' });
});

function open(changes: Partial<DeskParts> = {}) {
  const shown: Approval[] = [];
  const told: Parameters<DeskParts['tell']>[1][] = [];
  const parts = {
    settingOf: () => 'ask' as const,
    isTrusted: () => true,
    timeoutSeconds: () => 600,
    grants: new Grants({ get: () => undefined, set: () => undefined }),
    present: vi.fn((approval: Approval) => {
      shown.push(approval);
      return { dispose: () => void shown.splice(shown.indexOf(approval), 1) };
    }),
    changedText: (_approval: Approval): string | undefined => undefined,
    tell: (_agent, notice) => void told.push(notice),
    changed: () => undefined,
    untrusted: vi.fn(),
    ...changes,
  } satisfies DeskParts;
  return { desk: new ConsentDesk(parts), shown, told, parts };
}

function first(desk: ConsentDesk): Approval {
  const [approval] = desk.list();
  if (approval === undefined) throw new Error('nothing waits');
  return approval;
}

function scope(changes: Partial<ActionScope> = {}): ActionScope {
  return commandScope('npm test', changes);
}
