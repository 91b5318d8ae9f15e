import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { SandboxSpec } from '../../src/drivers/driver.ts';
import { ScriptedDriver } from './support/scripted-driver.ts';
import { setStage } from './support/stage.ts';

/** Has to pull an image that never comes, for sessions with a variable PULL. */
class PullingDriver extends ScriptedDriver {
  readonly pulls: string[] = [];

  async obtain({ id, env }: SandboxSpec, _onProgress: unknown, cancelled: AbortSignal): Promise<void> {
    if (env['PULL'] === undefined) return;
    this.pulls.push(id);
    if (!cancelled.aborted) await once(cancelled, 'abort');
    throw new Error('the pull was cancelled');
  }
}

test('a session that waits for its image keeps no other from starting, and is deleted at once', async () => {
  const driver = new PullingDriver();
  const stage = await setStage({ startsAtOnce: 1, drivers: new Map([['local', driver]]) });
  const pulling = Promise.allSettled([
    stage.create({ env: { PULL: 'yes' } }),
    stage.create({ env: { PULL: 'yes' } }),
  ]);
  while (driver.pulls.length < 2) await nextTurn();
  expect(await stage.create()).toMatchObject({ state: 'running' });
  await Promise.all(driver.pulls.map((id) => stage.sessions.remove(id)));
  for (const [place, outcome] of (await pulling).entries()) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'wrong-state' } });
    expect(driver.asked).not.toContain(`start ${driver.pulls[place]}`);
  }
  await driver.close();
});

test('a gateway that ends does not wait for images', async () => {
  const driver = new PullingDriver();
  const stage = await setStage({ drivers: new Map([['local', driver]]) });
  const pulling = Promise.allSettled([stage.create({ env: { PULL: 'yes' } })]);
  while (driver.pulls.length === 0) await nextTurn();
  await stage.sessions.close();
  expect(await pulling).toMatchObject([{ status: 'rejected' }]);
});

test('sandboxes that were handed out are replaced when there is a pause', async () => {
  const stage = await setStage({ warmSize: 2 });
  stage.sessions.warm.fill();
  await vi.waitUntil(() => stage.sessions.warm.ids.length === 2, { timeout: 10_000 });
  await stage.create();
  const lastMs = performance.now();
  await stage.create();
  await vi.waitUntil(() => stage.driver.count('start') === 4, { timeout: 10_000 });
  expect(performance.now() - lastMs).toBeGreaterThan(400);
});
