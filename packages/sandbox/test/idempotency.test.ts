import { appendFile, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runObservation } from '@fairlead/protocol';
import { describe, expect, test } from 'vitest';
import { ScriptedExecutor } from './support/scripted-executor.ts';
import { run, startTestServer, startTestServerOn, temporaryDirectory } from './support/test-server.ts';

const key = { 'idempotency-key': 'k-1' };

describe('Idempotency-Key', () => {
  test('a retry gets the first answer and nothing runs again', async () => {
    const { act, executor } = await startTestServer();
    const first = await act(run('once'), key);
    const again = await act(run('once'), key);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(again.headers['x-action-id']).toBe(first.headers['x-action-id']);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(executor.executed).toEqual(['once']);
  });

  test('retries at the same time wait for the one that runs', async () => {
    const { act, executor } = await startTestServer();
    const answers = Promise.all(Array.from({ length: 10 }, () => act(run('hold'), key)));
    await expect.poll(() => executor.executed).toEqual(['hold']);
    executor.release();
    expect(new Set((await answers).map(({ text }) => text)).size).toBe(1);
    expect(executor.executed).toEqual(['hold']);
  });

  test('a key with another body is refused', async () => {
    const { act, executor } = await startTestServer();
    await act(run('one'), key);
    const { status, json } = await act(run('two'), key);
    expect([status, json.detail]).toEqual([422, expect.stringContaining('different body')]);
    expect(executor.executed).toEqual(['one']);
  });

  test.each(['', 'a b', 'ü', 'x'.repeat(201)])('%j is not a key', async (bad) => {
    const { act, executor } = await startTestServer();
    const sent = Buffer.from(bad).toString('latin1');
    const { status, json } = await act(run('x'), { 'idempotency-key': sent });
    expect([status, json.detail]).toEqual([400, expect.stringContaining('1 to 200 visible ASCII')]);
    expect(executor.executed).toEqual([]);
  });

  test('a thousand answers later the first is still known', async () => {
    const { act, executor } = await startTestServer();
    const first = await act(run('first'), key);
    for (let n = 0; n < 1000; n += 1) await act(run(`n${n}`), { 'idempotency-key': `n-${n}` });
    expect((await act(run('first'), key)).text).toBe(first.text);
    expect(executor.executed).toHaveLength(1001);
  });
});

describe('X-Resume-Only', () => {
  const resume = { ...key, 'x-resume-only': 'true' };

  test('a key that was seen is answered as ever', async () => {
    const { act, executor } = await startTestServer();
    const held = act(run('hold'), key);
    await expect.poll(() => executor.executed).toEqual(['hold']);
    const resumed = act(run('hold'), resume);
    executor.release();
    expect((await resumed).text).toBe((await held).text);
    const later = await act(run('hold'), resume);
    expect([later.text, later.headers['x-withdrawn']]).toEqual([(await held).text, undefined]);
    expect((await act(run('other'), resume)).status).toBe(422);
    expect(executor.executed).toEqual(['hold']);
  });

  test('a key that was never seen is withdrawn: what comes late is not run', async () => {
    const { act, executor, watch } = await startTestServer();
    const resumed = await act(run('lost'), { ...resume, 'x-action-id': 'lost-1' });
    expect(resumed).toMatchObject({ status: 200, json: { observation: 'error' } });
    expect(resumed.json.content).toMatch(/never reached the sandbox.*was not run and will not be run/);
    expect(resumed.headers).toMatchObject({ 'x-withdrawn': 'true', 'x-action-id': 'lost-1' });
    for (const headers of [key, resume]) {
      const late = await act(run('lost'), headers);
      expect([late.text, late.headers['x-withdrawn']]).toEqual([resumed.text, 'true']);
    }
    expect(executor.executed).toEqual([]);
    const events = watch('/events?after=0');
    await events.until(({ messages }) => messages.length === 2);
    expect(events.events).toMatchObject([
      { type: 'action', actionId: 'lost-1', event: run('lost') },
      { type: 'observation', actionId: 'lost-1', event: resumed.json },
    ]);
  });

  test('a late request that comes at the same moment gets the same answer', async () => {
    const { act, executor } = await startTestServer();
    const answers = await Promise.all([
      act(run('lost'), resume),
      act(run('lost'), key),
      act(run('lost'), key),
    ]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(executor.executed.length).toBeLessThanOrEqual(1);
  });

  test('for a hidden command the answer is one that clients can decode', async () => {
    const { act } = await startTestServer();
    const { json } = await act(run('lost', { hidden: true }), resume);
    expect(json).toMatchObject({ observation: 'run', content: expect.stringContaining('was not run') });
  });

  test.each([
    [{ 'x-resume-only': 'true' }, 'Idempotency-Key'],
    [{ ...key, 'x-resume-only': 'yes' }, 'use "true"'],
  ])('%j is refused', async (headers, message) => {
    const { act, executor } = await startTestServer();
    const { status, json } = await act(run('x'), headers);
    expect([status, json.detail]).toEqual([400, expect.stringContaining(message)]);
    expect(executor.executed).toEqual([]);
  });

  test('is remembered after a restart, also when the crash came before the answer was recorded', async () => {
    const sessionDir = await temporaryDirectory();
    const before = await startTestServer({ sessionDir });
    const resumed = await before.act(run('lost'), { ...resume, 'x-action-id': 'lost' });
    await before.server.close();
    const path = join(sessionDir, 'journal.jsonl');
    const [actionLine] = (await readFile(path, 'utf8')).split('\n');
    await writeFile(path, `${actionLine}\n`);
    const executor = new ScriptedExecutor();
    executor.resumable.set('lost', runObservation('lost', 'found by mistake', { exit_code: 0 }));
    const after = await startTestServerOn(executor, { sessionDir });
    const late = await after.act(run('lost'), key);
    expect([late.json.content, late.headers['x-withdrawn']]).toEqual([resumed.json.content, 'true']);
    expect(executor.executed).toEqual([]);
  });
});

describe('after a restart', () => {
  test('an answer is still known', async () => {
    const sessionDir = await temporaryDirectory();
    const before = await startTestServer({ sessionDir });
    const first = await before.act(run('once'), key);
    await before.server.close();
    const after = await startTestServer({ sessionDir });
    expect((await after.act(run('once'), key)).text).toBe(first.text);
    expect((await after.act(run('other'), key)).status).toBe(422);
    expect(after.executor.executed).toEqual([]);
  });

  test('an action that was running is found again', async () => {
    const sessionDir = await leaveUnfinished('found');
    const executor = new ScriptedExecutor();
    executor.resumable.set('found', runObservation('hold', 'found again', { exit_code: 3 }));
    const { act } = await startTestServerOn(executor, { sessionDir });
    expect((await act(run('hold'), key)).json).toMatchObject({ content: 'found again', success: false });
    expect(executor.executed).toEqual([]);
  });

  test('one that is lost is told as unknown and not run again', async () => {
    const sessionDir = await leaveUnfinished('lost');
    const { act, executor } = await startTestServer({ sessionDir });
    const { status, json } = await act(run('hold'), key);
    expect([status, json.observation]).toEqual([200, 'error']);
    expect(json.content).toContain('outcome of this action is unknown');
    expect(json.content).toContain('not run again');
    expect(executor.executed).toEqual([]);
  });

  test('a line that the crash cut short is dropped, and the journal goes on', async () => {
    const sessionDir = await temporaryDirectory();
    const before = await startTestServer({ sessionDir });
    const kept = await before.act(run('kept'), key);
    await before.act(run('torn'), { 'idempotency-key': 'k-2' });
    await before.server.close();
    const path = join(sessionDir, 'journal.jsonl');
    const { length } = await readFile(path);
    await truncate(path, length - 20);
    const after = await startTestServer({ sessionDir });
    expect((await after.act(run('kept'), key)).text).toBe(kept.text);
    expect((await after.act(run('torn'), { 'idempotency-key': 'k-2' })).json.content).toContain('unknown');
    await after.act(run('more'));
    await after.server.close();
    for (const line of (await readFile(path, 'utf8')).trimEnd().split('\n')) JSON.parse(line);
  });

  test('damaged lines are skipped', async () => {
    const sessionDir = await temporaryDirectory();
    await writeFile(
      join(sessionDir, 'journal.jsonl'),
      '\0\0\0\n{"seq":"x"}\n[]\nnull\n\n{"type":"action"}\n',
    );
    await appendFile(join(sessionDir, 'journal.jsonl'), Buffer.from([0xff, 0xfe, 0x0a, 0x7b]));
    const { act } = await startTestServer({ sessionDir });
    expect((await act(run('fine'), key)).json.content).toBe('fine');
  });
});

/** What a killed server leaves: the action is recorded, the answer is not. */
async function leaveUnfinished(actionId: string): Promise<string> {
  const sessionDir = await temporaryDirectory();
  const copy = await temporaryDirectory();
  const { act, executor } = await startTestServer({ sessionDir });
  const held = act(run('hold'), { ...key, 'x-action-id': actionId });
  await expect.poll(() => executor.executed).toEqual(['hold']);
  await writeFile(join(copy, 'journal.jsonl'), await readFile(join(sessionDir, 'journal.jsonl')));
  executor.release();
  await held;
  return copy;
}
