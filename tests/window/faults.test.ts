import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Caller } from '../gateway/support/caller.ts';
import type { GatewayProcess } from '../gateway/support/gateway-process.ts';
import { until } from '../gateway/support/wait.ts';
import { freePort } from '../support/free-port.ts';
import { openRelay, type Relay } from './support/relay.ts';
import type { VscodeWindow } from './support/vscode-window.ts';
import { useWindows, windowNeeds } from './support/windows.ts';

/** Leaves a line each time it is run, and ends when it may. */
const counted = 'echo run >>runs; until [[ -e go ]]; do sleep 0.05; done; echo done';

describe('in the middle of an action', windowNeeds, () => {
  const windows = useWindows({ settings: { 'fairlead.consent.run': 'allow' } });
  let port: number;
  let gateway: GatewayProcess;
  let relay: Relay | undefined;
  let window: VscodeWindow;
  let id: string;
  beforeAll(async () => {
    port = await freePort();
    gateway = await windows.place.spawn({ port });
    relay = await openRelay(port);
    window = await windows.open({ until: 'suite' });
    await window.connect(new Caller(relay.port, gateway.owner.key));
    ({ id } = await gateway.owner.create({ driver: 'window', labels: { agent: 'Ada' } }));
  }, windowNeeds.timeout);
  afterAll(() => relay?.close());
  beforeEach(() => {
    for (const name of ['runs', 'go']) rmSync(inFolder(name), { force: true });
  });

  test('a connection that breaks and comes back loses and repeats nothing, also of the live output', async () => {
    const { owner } = gateway;
    const watcher = await owner.watch(id).live();
    const running = owner.run(id, 'echo run >>runs; for n in $(seq 60); do echo "line $n"; sleep 0.1; done');
    for (const shown of ['line 5', 'line 20', 'line 35']) {
      await watcher.until(() => watcher.output().includes(shown), shown);
      relay!.cut();
    }
    const ran = await running;
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);
    expect(ran).toMatchObject({ content: lines.join('\n'), exitCode: 0 });
    await watcher.observed(ran.actionId);
    expect(watcher.output(ran.actionId).split(/\r?\n/).filter(Boolean)).toEqual(lines);
    expect(runs()).toBe('run\n');
    watcher.close();
  });

  test('a gateway that is killed and started again loses and repeats nothing', async () => {
    const key = 'killed';
    const broken = gateway.owner.run(id, counted, { key, timeout: 120 }).catch((error: Error) => error);
    await until(() => existsSync(inFolder('runs')), 'the command');
    await gateway.kill();
    expect(await broken).toBeInstanceOf(Error);
    gateway = await windows.place.spawn({ port });
    const again = gateway.owner.run(id, counted, { key, timeout: 120 });
    writeFileSync(inFolder('go'), '');
    expect(await again).toMatchObject({ content: 'done', exitCode: 0 });
    expect(runs()).toBe('run\n');
    expect(await gateway.owner.run(id, 'echo next')).toMatchObject({ content: 'next', exitCode: 0 });
  });

  test('a reload of the window is told, the command is not run again, and the session goes on', async () => {
    const { owner } = gateway;
    const key = 'reloaded';
    const running = owner.run(id, counted, { key, timeout: 120 });
    await until(() => existsSync(inFolder('runs')), 'the command');
    await window.reload();
    const { observation, content } = await running;
    expect(observation).toBe('error');
    expect(content).not.toBe('');
    expect(await owner.run(id, counted, { key, timeout: 120 })).toMatchObject({ content, isReplay: true });
    expect(await owner.run(id, 'cat runs')).toMatchObject({ content: 'run', exitCode: 0 });
  });

  test('a reload of the window while the person is asked asks again, and the command runs once', async () => {
    const { owner } = gateway;
    await window.setting('fairlead.consent.run', 'ask');
    const running = owner.run(id, 'echo run >>runs; echo allowed', { timeout: 120 });
    const question = 'Ada wants to run echo run';
    await window.notified(question);
    await window.reload();
    await window.notified(question);
    expect(existsSync(inFolder('runs'))).toBe(false);
    await window.clickNotification(question, 'Run');
    const ran = await running;
    expect(ran).toMatchObject({ content: 'allowed', exitCode: 0 });
    expect(runs()).toBe('run\n');
    const approvals = (await owner.journal(id)).filter(({ type }) => type === 'approval');
    expect(approvals.at(-1)).toMatchObject({ actionId: ran.actionId, state: 'approved', capability: 'run' });
    await window.setting('fairlead.consent.run', 'allow');
  });

  function inFolder(name: string): string {
    return join(window.path, name);
  }

  function runs(): string {
    return readFileSync(inFolder('runs'), 'utf8');
  }
});
