import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { greet, openBridge } from './support.ts';

const echo = () => ({});

test('after a reload of the window a run goes on, on the same port and with the same token', async () => {
  const first = openBridge(echo);
  const run = await first.bridge.begin('a.py');
  run.setProcess(process.pid);
  const before = await greet(run.env, 'the-same-client-id');
  await first.bridge.close();
  expect((await before.closed).code).toBe(1012);
  const second = openBridge(echo, {}, first.stored);
  expect(await second.bridge.restore()).toMatchObject([{ id: run.id, name: 'a.py' }]);
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
  expect(await second.bridge.restore()).toEqual([]);
  expect(second.bridge.port).toBeUndefined();
});

test('runs of another window on the same folder are left to it', async () => {
  const first = openBridge(echo);
  const run = await first.bridge.begin('a.py');
  run.setProcess(process.pid);
  const second = openBridge(echo, {}, first.stored);
  expect(await second.bridge.restore()).toBeUndefined();
  expect(first.stored.get()).toMatchObject([{ id: run.id }]);
  const peer = await greet(run.env);
  peer.send({ id: 1, type: 'vscode/openEditors' });
  expect(await peer.next()).toMatchObject({ success: true });
});

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
