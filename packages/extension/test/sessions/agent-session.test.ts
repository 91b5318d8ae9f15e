import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { openExecutor as openPtyExecutor } from '@fairlead/executor';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Consent } from '../../src/consent/consent.ts';
import type { AgentSessionParts } from '../../src/sessions/agent-session.ts';
import { run, SessionPlace } from '../support/session-place.ts';
import { StandInConsent } from '../support/stand-in-consent.ts';

const resume = { 'x-resume-only': 'true' };

describe('an agent in a window', () => {
  test('runs commands in one shell that keeps its state, and the user sees each observation', async () => {
    const { session, observations } = await new SessionPlace().open();
    await run(session, 'greeting=hello');
    expect(await run(session, 'echo $greeting; false')).toMatchObject({ content: 'hello', exitCode: 1 });
    expect(observations).toHaveLength(2);
    expect(observations[1]).toBe('hello');
  });

  test('gets the words of a user who rejects, and nothing is run', async () => {
    const place = new SessionPlace();
    const { session, consent } = await place.open(asking());
    const answer = run(session, 'touch made');
    await eventually(() => consent.waiting).toEqual(['touch made']);
    consent.answer({ kind: 'rejected', reason: 'not on a Friday' });
    expect(await answer).toMatchObject({
      observation: 'error',
      content: expect.stringContaining('not on a Friday'),
    });
    expect(existsSync(join(place.root, 'made'))).toBe(false);
  });

  test('runs nothing before the user has seen the variables that came with it, which is asked once', async () => {
    const place = new SessionPlace();
    const asked: object[] = [];
    const answers: Awaited<ReturnType<Consent['ask']>>[] = [
      { kind: 'rejected', reason: 'not that one' },
      { kind: 'allowed' },
    ];
    const consent = Object.assign(new StandInConsent(), {
      ask: async (_scope: unknown, request: object) => {
        asked.push(request);
        return answers.shift()!;
      },
    });
    const { session } = await place.open(consent, {}, { LANG: 'C.UTF-8', MAKEFLAGS: '--eval=x' });
    expect(await run(session, 'touch made')).toMatchObject({
      observation: 'error',
      content: expect.stringContaining('not that one'),
    });
    expect(existsSync(join(place.root, 'made'))).toBe(false);
    expect(await run(session, 'echo one')).toMatchObject({ content: 'one' });
    expect(await run(session, 'echo two')).toMatchObject({ content: 'two' });
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatchObject({
      capability: 'run',
      title: 'set variables for its commands: MAKEFLAGS',
      detail: 'MAKEFLAGS=--eval=x',
    });
  });

  test('is told what ran when the user has changed the command', async () => {
    const { session, consent } = await new SessionPlace().open(asking());
    const answer = run(session, 'echo one');
    await eventually(() => consent.waiting).toEqual(['echo one']);
    consent.answer({ kind: 'allowed', command: 'echo two', isChanged: true });
    const { content } = await answer;
    expect(content).toMatch(/^\[The user changed the command before it ran\. What ran: echo two\]\ntwo/);
  });

  test('may stop its own command, and ask what it has printed, without the user', async () => {
    const place = new SessionPlace();
    const { session, consent } = await place.open();
    const running = run(session, 'echo begun; touch begun; sleep 100; echo over', {
      args: { blocking: true },
    });
    await eventually(() => existsSync(join(place.root, 'begun'))).toBe(true);
    consent.isAsking = true;
    const looked = await run(session, '', { args: { is_input: true }, timeout: 0.5 });
    expect(looked.observation).toBe('run');
    await run(session, 'C-c', { args: { is_input: true } });
    expect((await running).content).not.toContain('over\n');
    expect(consent.seen).toHaveLength(1);
  });

  test('must ask to type into a command that runs', async () => {
    const place = new SessionPlace();
    const { session, consent } = await place.open();
    const command = 'touch begun; read answer; echo "got $answer"';
    const running = run(session, command, { args: { blocking: true } });
    await eventually(() => existsSync(join(place.root, 'begun'))).toBe(true);
    consent.isAsking = true;
    const typed = run(session, 'yes', { args: { is_input: true } });
    await eventually(() => consent.waiting).toEqual(['yes']);
    expect(consent.requests.at(-1)).toMatchObject({ isInput: true });
    consent.answer({ kind: 'rejected', reason: '' });
    expect((await typed).observation).toBe('error');
    await run(session, 'C-c', { args: { is_input: true } });
    expect((await running).content).not.toContain('got yes');
  });

  test.each([
    ['an empty command', '', {}],
    ['a key', 'C-c', { is_input: true }],
    ['an empty command in a shell of its own', '', { is_static: true }],
  ])('opens no shell by %s unless the user allows it', async (_name, command, args) => {
    const place = new SessionPlace();
    const { session, consent } = await place.open(asking());
    const answer = run(session, command, { args });
    await eventually(() => consent.waiting).toEqual([command]);
    expect(place.processes()).toEqual([]);
    consent.answer({ kind: 'rejected', reason: '' });
    expect((await answer).observation).toBe('error');
    expect(place.processes()).toEqual([]);
  });

  test('must ask for a shell of its own, also where another one is open', async () => {
    const { session, consent } = await new SessionPlace().open();
    await run(session, 'true');
    consent.isAsking = true;
    const answer = run(session, '', { args: { is_static: true } });
    await eventually(() => consent.waiting).toEqual(['']);
    consent.answer({ kind: 'rejected', reason: '' });
    expect((await answer).observation).toBe('error');
  });

  test('has the user told where a command in a shell of its own runs', async () => {
    const { session, consent } = await new SessionPlace().open();
    await run(session, 'true', { args: { is_static: true, cwd: '/usr' } });
    await run(session, 'true', { args: { cwd: '/usr' } });
    expect(consent.requests.map(({ cwd, isInput }) => ({ cwd, isInput }))).toEqual([
      { cwd: '/usr', isInput: false },
      { cwd: undefined, isInput: false },
    ]);
  });
});

describe('when the window is loaded anew', () => {
  test('what waited for the user is asked again, and runs once', async () => {
    const place = new SessionPlace();
    const before = await place.open(asking());
    const lost = run(before.session, 'echo once >>ran; cat ran', { key: 'k1' }).catch(() => 'lost');
    await eventually(() => before.consent.waiting).toHaveLength(1);
    await suspend(before);
    expect(await lost).toBe('lost');
    expect(before.observations).toEqual([expect.stringContaining('Not done here')]);

    const after = await place.open(asking());
    await eventually(() => after.consent.waiting).toEqual(['echo once >>ran; cat ran']);
    const again = run(after.session, 'echo once >>ran; cat ran', { key: 'k1', headers: resume });
    after.consent.answer({ kind: 'allowed', command: 'echo once >>ran; cat ran', isChanged: false });
    expect(await again).toMatchObject({ content: 'once', exitCode: 0 });
    expect(readFileSync(join(place.root, 'ran'), 'utf8')).toBe('once\n');
  });

  test('it is asked again after each of two reloads', async () => {
    const place = new SessionPlace();
    let opened = await place.open(asking());
    void run(opened.session, 'echo late', { key: 'k1' }).catch(() => undefined);
    for (let reload = 0; reload < 2; reload += 1) {
      await eventually(() => opened.consent.waiting).toEqual(['echo late']);
      await setImmediate();
      await suspend(opened);
      opened = await place.open(asking());
    }
    await eventually(() => opened.consent.waiting).toEqual(['echo late']);
    const again = run(opened.session, 'echo late', { key: 'k1', headers: resume });
    opened.consent.answer({ kind: 'allowed', command: 'echo late', isChanged: false });
    expect((await again).content).toBe('late');
  });

  test('a command that ran is told as ended, and is not run again', async () => {
    const place = new SessionPlace();
    const before = await place.open();
    const command = 'echo begun >>ran; sleep 100; echo over >>ran';
    void run(before.session, command, { key: 'k1' }).catch(() => undefined);
    await eventually(() => existsSync(join(place.root, 'ran'))).toBe(true);
    await suspend(before);
    const after = await place.open();
    expect(await run(after.session, command, { key: 'k1', headers: resume })).toMatchObject({
      observation: 'error',
      content: expect.stringContaining('and it was ended'),
    });
    expect(after.consent.seen).toEqual([]);
    expect(readFileSync(join(place.root, 'ran'), 'utf8')).toBe('begun\n');
  });

  test('a session that is opened before the old one has let go waits for it', async () => {
    const place = new SessionPlace();
    const before = await place.open();
    const opening = place.open();
    await before.session.close(0);
    expect((await run((await opening).session, 'echo here')).content).toBe('here');
  });
});

test.each(['filesOf', 'watchChanges', 'openExecutor'] as const)(
  'a session that cannot be opened because of %s leaves nothing behind, and can be opened again',
  async (part) => {
    const place = new SessionPlace();
    const closed = vi.fn();
    const openExecutor = async (options: Parameters<AgentSessionParts['openExecutor']>[0]) => {
      const env = { PATH: '/usr/bin:/bin' };
      const executor = await openPtyExecutor({ ...options, terminal: 'pty', env, startsShellLate: true });
      const end = executor.close.bind(executor);
      onTestFinished(end);
      return Object.assign(executor, { close: () => end().finally(closed) });
    };
    const fail = () => {
      throw new Error('not today');
    };
    await expect(place.open(undefined, { openExecutor, [part]: fail })).rejects.toThrow('not today');
    expect(closed).toHaveBeenCalledTimes(part === 'openExecutor' ? 0 : 1);
    expect((await run((await place.open()).session, 'echo here')).content).toBe('here');
  },
);

test('closing ends every process at once, also those that left their shell', async () => {
  const place = new SessionPlace();
  const { session } = await place.open();
  await run(
    session,
    `(setsid sleep 1000 ${place.root} >/dev/null 2>&1 &) ; nohup sleep 1001 >/dev/null 2>&1 & echo on`,
  );
  void run(session, "trap '' INT TERM HUP; sleep 1002").catch(() => undefined);
  await eventually(() => place.processes().length).toBeGreaterThan(2);
  const startedMs = performance.now();
  await session.close(200);
  await eventually(() => place.processes()).toEqual([]);
  expect(performance.now() - startedMs).toBeLessThan(5_000);
});

function asking(): StandInConsent {
  return Object.assign(new StandInConsent(), { isAsking: true });
}

async function suspend({
  session,
}: {
  session: { suspend(): void; close(ms: number): Promise<void> };
}): Promise<void> {
  session.suspend();
  await session.close(0);
}

function eventually<Value>(ask: () => Value) {
  return expect.poll(ask, { timeout: 15_000 });
}
