import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import type { Kept } from '../../src/kept.ts';
import { greet, openBridge } from './support.ts';

const echo = () => ({});
const idsIn = (stored: Kept) => new Set((stored.get() as { id: string }[]).map(({ id }) => id));

test('after a reload of the window a run goes on, on the same port and with the same token', async () => {
  const first = openBridge(echo);
  const run = await first.bridge.begin('a.py');
  run.setProcess(process.pid);
  const before = await greet(run.env, 'the-same-client-id');
  await first.bridge.close();
  expect((await before.closed).code).toBe(1012);
  const second = openBridge(echo, {}, first.stored);
  expect(await second.bridge.restore()).toMatchObject({
    restored: [{ id: run.id, name: 'a.py' }],
    elsewhere: [],
  });
  const after = await greet(run.env, 'the-same-client-id');
  expect(after.welcome['serverId']).not.toBe(before.welcome['serverId']);
  expect(after.welcome['isResumed']).toBe(false);
  after.send({ id: 1, type: 'vscode/openEditors' });
  expect(await after.next()).toMatchObject({ success: true });
});

test('what is kept over a reload does not hold a token', async () => {
  const { bridge, stored } = openBridge(echo);
  const run = await bridge.begin('a.py');
  run.setProcess(process.pid);
  expect(JSON.stringify(stored.get())).not.toContain(run.env['FAIRLEAD_RUN_BRIDGE_TOKEN']!);
  run.end();
  expect(stored.get()).toEqual([]);
});

test('a run ends when its process does, also one that was killed, and nothing listens any more', async () => {
  const { bridge, ended } = openBridge(echo);
  const run = await bridge.begin('a.py');
  const child = spawn('sleep', ['60']);
  onTestFinished(() => void child.kill());
  run.setProcess(child.pid!);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await expect.poll(() => ended, { timeout: 10_000 }).toEqual([{ runId: run.id, exitCode: null }]);
  expect(bridge.port).toBeUndefined();
});

test('a run whose process is gone after the reload is not taken up', async () => {
  const child = spawn('true');
  await once(child, 'exit');
  const first = openBridge(echo);
  (await first.bridge.begin('a.py')).setProcess(child.pid!);
  await first.bridge.close();
  const second = openBridge(echo, {}, first.stored);
  expect(await second.bridge.restore()).toEqual({ restored: [], elsewhere: [] });
  expect(second.bridge.port).toBeUndefined();
  expect(first.stored.get()).toEqual([]);
});

test('runs of another window on the same folder are left to it', async () => {
  const first = openBridge(echo);
  const run = await first.bridge.begin('a.py');
  run.setProcess(process.pid);
  const second = openBridge(echo, {}, first.stored);
  expect(await second.bridge.restore()).toMatchObject({ restored: [], elsewhere: [{ id: run.id }] });
  expect(second.bridge.port).toBeUndefined();
  const peer = await greet(run.env);
  peer.send({ id: 1, type: 'vscode/openEditors' });
  expect(await peer.next()).toMatchObject({ success: true });
  expect([first.calls.length, second.calls.length]).toEqual([1, 0]);
  // Neither window takes away what the other keeps.
  const mine = await second.bridge.begin('b.py');
  mine.setProcess(process.pid);
  const another = await first.bridge.begin('c.py');
  another.setProcess(process.pid);
  expect(idsIn(first.stored)).toEqual(new Set([run.id, mine.id, another.id]));
  mine.end();
  run.end();
  expect(idsIn(first.stored)).toEqual(new Set([another.id]));
  expect(second.ended).toEqual([{ runId: mine.id, exitCode: null }]);
});

test('of two windows on the same folder each has its own runs back after a reload', async () => {
  const first = openBridge(echo);
  const before = openBridge(echo, {}, first.stored);
  const [theirs, mine] = [await first.bridge.begin('a.py'), await before.bridge.begin('b.py')];
  for (const run of [theirs, mine]) run.setProcess(process.pid);
  await before.bridge.close();
  const after = openBridge(echo, {}, first.stored);
  expect(await after.bridge.restore()).toMatchObject({
    restored: [{ id: mine.id }],
    elsewhere: [{ id: theirs.id }],
  });
  expect((await greet(mine.env)).welcome).toMatchObject({ type: '$/welcome' });
});

test('a program that is started right after a reload is on the port of those that went on', async () => {
  const first = openBridge(echo);
  const run = await first.bridge.begin('a.py');
  run.setProcess(process.pid);
  const second = openBridge(echo, { restoreTimeoutMs: 60_000 }, first.stored);
  const restoring = second.bridge.restore();
  const begun = second.bridge.begin('b.py');
  await first.bridge.close();
  expect(await restoring).toMatchObject({ restored: [{ id: run.id }] });
  const { env } = await begun;
  expect(env['FAIRLEAD_RUN_BRIDGE_ADDR']).toBe(run.env['FAIRLEAD_RUN_BRIDGE_ADDR']);
  expect((await greet(run.env)).welcome).toMatchObject({ type: '$/welcome' });
});

test('a program that is started before anybody has looked for those of before is on their port too', async () => {
  const first = openBridge(echo);
  const run = await first.bridge.begin('a.py');
  run.setProcess(process.pid);
  await first.bridge.close();
  const second = openBridge(echo, {}, first.stored);
  const mine = await second.bridge.begin('b.py');
  mine.setProcess(process.pid);
  expect(await second.bridge.restore()).toMatchObject({
    restored: [{ id: run.id }, { id: mine.id }],
    elsewhere: [],
  });
  for (const { env } of [run, mine]) expect((await greet(env)).welcome).toMatchObject({ type: '$/welcome' });
});

test('a program is started soon, on another port, where that of before is another window’s', async () => {
  const first = openBridge(echo);
  const run = await first.bridge.begin('a.py');
  run.setProcess(process.pid);
  const second = openBridge(echo, { restoreTimeoutMs: 60_000 }, first.stored);
  const restoring = second.bridge.restore();
  const mine = await second.bridge.begin('b.py');
  expect(await restoring).toMatchObject({ restored: [], elsewhere: [{ id: run.id }] });
  expect(second.bridge.port).not.toBe(first.bridge.port);
  mine.setProcess(process.pid);
  expect(first.stored.get()).toMatchObject([
    { id: run.id, port: first.bridge.port },
    { id: mine.id, port: second.bridge.port },
  ]);
});

test('a window that closes while it looks for its runs does not listen any more', async () => {
  const first = openBridge(echo);
  (await first.bridge.begin('a.py')).setProcess(process.pid);
  const second = openBridge(echo, { restoreTimeoutMs: 60_000 }, first.stored);
  const restoring = second.bridge.restore();
  await second.bridge.close();
  await first.bridge.close();
  expect(await restoring).toMatchObject({ restored: [] });
  expect(second.bridge.port).toBeUndefined();
});

test.skipIf(process.platform !== 'linux')(
  'another process that was given the id is not the run',
  async () => {
    const first = openBridge(echo);
    (await first.bridge.begin('a.py')).setProcess(process.pid);
    await first.bridge.close();
    const [record] = first.stored.get() as object[];
    first.stored.set([{ ...record, processStart: '1' }]);
    const second = openBridge(echo, {}, first.stored);
    expect(await second.bridge.restore()).toEqual({ restored: [], elsewhere: [] });
    expect(first.stored.get()).toEqual([]);
  },
);

test('a port that is in use is told with the setting that chose it', async () => {
  const first = openBridge(echo);
  await first.bridge.begin('a.py');
  const second = openBridge(echo, { port: () => first.bridge.port! });
  await expect(second.bridge.begin('b.py')).rejects.toThrow(/EADDRINUSE.*fairlead\.runBridge\.port/);
});

test('a reload cancels nothing: what was asked for can be asked for again', async () => {
  let signal: AbortSignal | undefined;
  const { bridge } = openBridge((_type, _params, call) => {
    signal = call.signal;
    return new Promise(() => undefined);
  });
  const run = await bridge.begin('a.py');
  const peer = await greet(run.env);
  peer.send({ id: 1, type: 'vscode/ask', params: { message: 'Where?' } });
  await expect.poll(() => signal).toBeDefined();
  await bridge.close();
  await peer.closed;
  expect(signal!.aborted).toBe(false);
});

test('a run that ends while another window waits for its port is not taken up there', async () => {
  const first = openBridge(echo);
  const run = await first.bridge.begin('a.py');
  run.setProcess(process.pid);
  const second = openBridge(echo, {}, first.stored);
  const restoring = second.bridge.restore();
  run.end();
  expect(await restoring).toEqual({ restored: [], elsewhere: [] });
  expect(second.bridge.port).toBeUndefined();
});
