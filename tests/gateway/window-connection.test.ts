import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionEvent } from '@fairlead/protocol';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Caller } from './support/caller.ts';
import { GatewayProcess } from './support/gateway-process.ts';
import { Place } from './support/place.ts';
import { until } from './support/wait.ts';
import { WindowPeer } from './support/window-peer.ts';
import { patient, setWindowStage } from './support/window-stage.ts';

/** Runs until it is told to go on, and counts how often it was begun. */
const waitingCommand = 'echo x >> begun; until [[ -e go ]]; do sleep 0.02; done; echo done';

describe('a connection to a window that is lost', patient, () => {
  test('and comes back costs nothing: the command runs on, once, and its output is complete', async () => {
    const { owner, peer, dial } = await setWindowStage();
    const { id } = await owner.create({ window: {} });
    const watcher = await owner.watch(id, 0).live();
    const running = owner.run(id, `echo before; ${waitingCommand}`, { key: 'k', actionId: 'a' });
    await watcher.until(() => watcher.output('a').includes('before'), 'the output before');
    peer.drop();
    await dial();
    const other = await owner.run(id, 'touch go', { shell: 'other' });
    expect(other).toMatchObject({ status: 200, exitCode: 0 });
    const ran = await running;
    expect(ran.exitCode).toBe(0);
    expect(ran.content).toContain('before\ndone');
    await watcher.observed('a');
    expect(watcher.output('a')).toContain('done');
    expect(countBegun(peer)).toBe(1);
    expect(peer.opened).toHaveLength(2);
    watcher.socket.close();
  });

  test('lets an action that comes meanwhile wait, and then runs it', async () => {
    const { owner, peer, dial } = await setWindowStage();
    const { id } = await owner.create({ window: {} });
    await lose(peer, owner);
    const waiting = owner.run(id, 'echo x >> begun; echo here', { actionId: 'later' });
    await until(async () => (await owner.journal(id)).some(({ type }) => type === 'action'), 'the action');
    expect((await owner.session(id)).state).toBe('running');
    await dial();
    expect(await waiting).toMatchObject({ status: 200, exitCode: 0 });
    expect(countBegun(peer)).toBe(1);
  });

  test('with an action on its way runs that action once, whether it had arrived or not', async () => {
    const { owner, peer, dial } = await setWindowStage();
    const { id } = await owner.create({ window: {} });
    await owner.run(id, 'true');
    for (let round = 0; round < 5; round += 1) {
      // Before the gateway can know of it, and as soon as it is journalled.
      if (round % 2 === 0) peer.drop();
      const sent = owner.run(id, `echo x >> begun; echo round ${round}`, { actionId: `on-its-way-${round}` });
      const isSent = async () =>
        (await owner.journal(id)).some((event) => isAction(event, `on-its-way-${round}`));
      await until(isSent, 'the action');
      if (round % 2 === 1) peer.drop();
      await dial();
      expect((await sent).content).toContain(`round ${round}`);
      expect(countBegun(peer)).toBe(round + 1);
    }
  });

  test('by a window that has forgotten the session never runs an action twice', async () => {
    const { owner, peer, dial } = await setWindowStage();
    const { id } = await owner.create({ window: {} });
    const running = owner.run(id, waitingCommand);
    await until(() => countBegun(peer) === 1, 'the command to run');
    peer.drop();
    await peer.forgetAll();
    await dial();
    const { observation, content } = await running;
    expect(observation).toBe('error');
    expect(content).toMatch(/not run/);
    expect(countBegun(peer)).toBe(1);
    expect((await owner.run(id, 'echo usable')).content).toContain('usable');
  });

  test('again and again does not fail the session', async () => {
    const { owner, peer, dial } = await setWindowStage();
    const { id } = await owner.create({ window: {} });
    for (let round = 0; round < 8; round += 1) {
      await lose(peer, owner);
      const waiting = owner.run(id, `echo ${round}`);
      await dial();
      expect((await waiting).content).toContain(String(round));
    }
    expect((await owner.session(id)).state).toBe('running');
  });

  test('for too long ends the session with a clear word, and an action wakes it when the window is back', async () => {
    const { owner, peer, dial } = await setWindowStage({ windowGraceSeconds: 5 });
    const { id } = await owner.create({ window: {} });
    const running = owner.run(id, waitingCommand, { key: 'k' });
    await until(() => countBegun(peer) === 1, 'the command to run');
    await lose(peer, owner);
    const waiting = owner.run(id, 'echo never');
    const lost = await running;
    expect(lost).toMatchObject({ status: 200, observation: 'error' });
    expect(lost.content).toContain('its window was disconnected and did not come back within 5 seconds');
    expect((await waiting).content).toMatch(/was not run and will not be run: its window was disconnected/);
    expect(await owner.session(id)).toMatchObject({
      state: 'stopped',
      reason: expect.stringContaining('window'),
    });
    const refused = await owner.call('POST', `/api/sessions/${id}/resume`);
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('Connect This Window')]);
    expect((await owner.session(id)).state).toBe('stopped');
    await dial();
    await until(() => peer.closed.length === 1, 'the window to hear that the session has ended');
    expect((await owner.runV0(id, 'echo awake', { key: 'awake' })).content).toContain('awake');
    expect((await owner.session(id)).state).toBe('running');
    expect(countBegun(peer)).toBe(1);
  });

  test('by the user ends the sessions at once, with the reason', async () => {
    const { owner, peer } = await setWindowStage();
    const one = await owner.create({ window: {} });
    const two = await owner.create({ window: {} });
    const running = owner.run(one.id, waitingCommand);
    await until(() => countBegun(peer) === 1, 'the command to run');
    await peer.line.emitWithAck('leave-session', { sessionId: one.id, reason: 'the user ended it' });
    expect((await running).content).toContain('the user ended it');
    expect(await owner.session(one.id)).toMatchObject({ state: 'stopped', reason: 'the user ended it' });
    expect((await owner.session(two.id)).state).toBe('running');
    await peer.line.emitWithAck('leave', { reason: 'the user disconnected the window' });
    await until(async () => (await owner.session(two.id)).state === 'stopped', 'the other to end');
    expect((await owner.session(two.id)).reason).toBe('the user disconnected the window');
    expect((await owner.call('GET', '/api/vscode/instances')).text).toBe('[]');
  });

  test('and made again beside the old one takes its place', async () => {
    const { owner, peer, dial } = await setWindowStage();
    const { id } = await owner.create({ window: {} });
    const before = peer.line;
    await dial();
    await until(() => !before.connected, 'the old connection to end');
    expect(peer.refusals).toMatchObject([{ detail: expect.stringContaining('again') as string }]);
    expect((await owner.run(id, 'echo still')).content).toContain('still');
  });
});

describe('a gateway that ends', { timeout: 120_000 }, () => {
  test.each(['kill', 'close'] as const)('by %s finds the windows again, and what ran there', async (how) => {
    const place = new Place();
    onTestFinished(() => place.end());
    const options = { defaultDriver: 'window' as const };
    const first = await (how === 'kill' ? place.spawn(options) : place.start(options));
    const peer = new WindowPeer();
    await peer.dial({ url: first.owner.url, key: first.owner.key });
    const { id } = await first.owner.create({ window: {} });
    const cut = first.owner.run(id, waitingCommand, { key: 'k' }).catch(() => undefined);
    await until(() => countBegun(peer) === 1, 'the command to run');
    await (first instanceof GatewayProcess ? first.kill() : place.closeAll());
    await cut;
    const { owner } = await place.start(options);
    expect((await owner.session(id)).state).toBe('running');
    const again = owner.run(id, waitingCommand, { key: 'k' });
    await peer.dial({ url: owner.url, key: owner.key });
    await owner.run(id, 'touch go', { shell: 'other' });
    expect(await again).toMatchObject({ exitCode: 0, isReplay: true });
    expect(countBegun(peer)).toBe(1);
    expect(peer.closed).toEqual([]);
  });

  test('does not wait for ever for a window that does not come back', async () => {
    const { place, owner, peer } = await setWindowStage();
    const { id } = await owner.create({ window: {} });
    await lose(peer, owner);
    await place.closeAll();
    const next = await place.start({ defaultDriver: 'window', windowGraceSeconds: 1 });
    await until(async () => (await next.owner.session(id)).state === 'stopped', 'the session to end');
  });
});

/** Until the gateway knows it. */
async function lose(peer: WindowPeer, owner: Caller): Promise<void> {
  peer.drop();
  const isGone = async () => (await owner.call('GET', '/api/vscode/instances')).text === '[]';
  await until(isGone, 'the gateway to notice');
}

function isAction(event: SessionEvent, actionId: string): boolean {
  return event.type === 'action' && event.actionId === actionId;
}

function countBegun({ workspace }: WindowPeer): number {
  try {
    return readFileSync(join(workspace, 'begun'), 'utf8').split('\n').length - 1;
  } catch {
    return 0;
  }
}
