import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { firstOf, processesOf } from '../drivers/support/processes.ts';
import type { Caller } from './support/caller.ts';
import { needs } from './support/needs.ts';
import { Place, usePlace } from './support/place.ts';
import { until } from './support/wait.ts';

describe('sandboxes that are started in advance', needs, () => {
  const place = usePlace();
  let owner: Caller;
  beforeAll(async () => {
    ({ owner } = await place.start({ warmSize: 2 }));
  });

  test('are handed out to sessions without wishes, and replaced', async () => {
    const ready = await warmIds(place, 2);
    // The gateway knows of one a moment after it has begun to answer.
    const id = await until(async () => {
      const created = await owner.create();
      return ready.includes(created.id) ? created.id : undefined;
    }, 'a session in one of them');
    expect(await owner.run(id, 'pwd; ls -A')).toMatchObject({ content: '/workspace', exitCode: 0 });
    const next = await warmIds(place, 2);
    expect(next).not.toContain(id);
    expect(next).toContainEqual(ready.find((each) => each !== id));
  });

  test('are of no use to a session with an environment, limits or a folder of its own', async () => {
    const ready = await warmIds(place, 2);
    const folder = mkdtempSync(join(tmpdir(), 'fg-folder-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const sessions = await Promise.all([
      owner.create({ env: { COLOUR: 'red' } }),
      owner.create({ limits: { pids: 100 } }),
      owner.create({ workspace: { kind: 'folder', path: folder } }),
    ]);
    for (const { id } of sessions) expect(ready).not.toContain(id);
    expect(await warmIds(place, 2)).toEqual(ready);
  });

  test('are not handed out when they are dead', async () => {
    const ready = await warmIds(place, 2);
    for (const id of ready) process.kill(firstOf(id)!, 'SIGKILL');
    await until(() => ready.every((id) => processesOf(id).length === 0), 'their end');
    const { id } = await owner.create();
    expect(ready).not.toContain(id);
    expect(await owner.run(id, 'echo fine')).toMatchObject({ content: 'fine' });
    await until(() => ready.every((dead) => !existsSync(place.directoryOf(dead))), 'the end of their files');
    await warmIds(place, 2);
  });

  test('serve as many sessions as are asked for at once', async () => {
    await warmIds(place, 2);
    const sessions = await Promise.all(Array.from({ length: 6 }, () => owner.create()));
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(6);
    const answers = await Promise.all(sessions.map(({ id }) => owner.run(id, `echo ${id}`)));
    expect(answers.map(({ content }) => content)).toEqual(sessions.map(({ id }) => id));
  });
});

describe('sandboxes that nobody has taken', needs, () => {
  test('end with the gateway', async () => {
    const place = new Place();
    try {
      const { gateway } = await place.start({ warmSize: 1 });
      await warmIds(place, 1);
      expect(await gateway.close()).toEqual({ sessionsLeft: 0 });
      expect(place.processes()).toEqual([]);
      expect(readdirSync(join(place.stateDir, 'sessions'))).toEqual([]);
    } finally {
      await place.end();
    }
  });

  test('end with the gateway also while they are being started', async () => {
    const place = new Place();
    try {
      const { gateway } = await place.start({ warmSize: 3 });
      await gateway.close();
      expect(place.processes()).toEqual([]);
      expect(readdirSync(join(place.stateDir, 'sessions'))).toEqual([]);
    } finally {
      await place.end();
    }
  });

  test('and were left by a gateway that was killed are ended by the next', async () => {
    const place = new Place();
    try {
      const killed = await place.spawn({ warmSize: 1 });
      const [left] = await warmIds(place, 1);
      await killed.kill();
      expect(processesOf(left!)).not.toEqual([]);
      const { logged } = await place.start();
      expect(logged).toContain(`ending the sandbox ${left}, which no session owns`);
      expect(processesOf(left!)).toEqual([]);
      expect(existsSync(place.directoryOf(left!))).toBe(false);
    } finally {
      await place.end();
    }
  });
});

/** Waits until so many are ready: sandboxes that answer, and that no session owns. */
async function warmIds(place: Place, count: number): Promise<string[]> {
  return until(async () => {
    const owned = await place.useStore(async (store) => (await store.sessions.list()).map(({ id }) => id));
    const ids = readdirSync(join(place.stateDir, 'sessions')).filter((id) => !owned.includes(id));
    const ready = ids.filter((id) => existsSync(place.socketOf(id)));
    return ids.length === count && ready.length === count ? ready.toSorted() : undefined;
  }, `${count} warm sandboxes`);
}
