import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { processesOf, serverOf } from '../drivers/support/processes.ts';
import type { Caller } from './support/caller.ts';
import { needs } from './support/needs.ts';
import { usePlace } from './support/place.ts';
import { until } from './support/wait.ts';
import type { Watcher } from './support/watcher.ts';

describe('a watcher', needs, () => {
  const place = usePlace();
  let owner: Caller;
  beforeAll(async () => {
    ({ owner } = await place.start());
  });

  async function watch(id: string, after?: number): Promise<Watcher> {
    const watcher = owner.watch(id, after);
    onTestFinished(() => watcher.close());
    return watcher.live();
  }

  test('gets the journal from any number on, then what happens', async () => {
    const { id } = await owner.create();
    await owner.run(id, 'echo before', { actionId: 'before' });
    const watcher = await watch(id, 0);
    expect(
      watcher.events.map((event) => ('seq' in event ? `${event.type} ${event.seq}` : event.type)),
    ).toEqual(['state 1', 'state 2', 'action 3', 'observation 4', 'live 4']);
    const late = await watch(id, 3);
    expect(late.events.map(({ type }) => type)).toEqual(['observation', 'live']);
    const now = await watch(id);
    expect(now.events).toEqual([{ type: 'live', seq: 4 }]);

    await owner.run(id, 'echo after', { actionId: 'after' });
    for (const each of [watcher, late, now]) {
      await each.observed('after');
      expect(each.output('after')).toBe('after\r\n');
      const own = each.events.filter((event) => 'actionId' in event && event.actionId === 'after');
      const types = own.map(({ type }) => type);
      expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
        'action',
        'output',
        'observation',
      ]);
    }
    const beyond = owner.watch(id, 99);
    onTestFinished(() => beyond.close());
    await beyond.closed;
    expect(beyond.events).toEqual([]);
  });

  test('gets all output of a command before its observation, for 200 quick ones', async () => {
    const { id } = await owner.create();
    const watcher = await watch(id);
    for (let index = 0; index < 200; index += 1)
      await owner.run(id, `echo "number ${index}"`, { actionId: `quick-${index}` });
    // Who has the answer finds it in the journal, wherever the watcher is.
    expect((await owner.journal(id)).at(-1)).toMatchObject({ type: 'observation', actionId: 'quick-199' });
    await watcher.observed('quick-199');
    expect(watcher.of('lost-output')).toEqual([]);
    const told = watcher.events.filter(({ type }) => type !== 'live');
    for (let index = 0; index < 200; index += 1) {
      const own = told.filter((event) => 'actionId' in event && event.actionId === `quick-${index}`);
      expect(own[0]?.type).toBe('action');
      expect(own.at(-1)?.type).toBe('observation');
      expect(watcher.output(`quick-${index}`)).toBe(`number ${index}\r\n`);
    }
    expectWhole(watcher);
  });

  test('gets the numbers of eight shells at once without holes or repeats', async () => {
    const { id } = await owner.create();
    const watcher = await watch(id, 0);
    const shells = Array.from({ length: 8 }, (_, index) => `shell-${index}`);
    await Promise.all(
      shells.map(async (shell) => {
        for (let round = 0; round < 12; round += 1) await owner.run(id, `echo ${shell}`, { shell });
      }),
    );
    await watcher.until(() => watcher.of('observation').length === 96, 'all observations');
    expectWhole(watcher);
    const journal = await owner.journal(id);
    expect(journal.map((event) => ('seq' in event ? event.seq : 0))).toEqual(
      Array.from({ length: 2 + 2 * 96 }, (_, index) => index + 1),
    );
    // Each shell's are in the order in which they were sent.
    for (const shell of shells) {
      const actions = watcher.of('action').filter((event) => event.shell === shell);
      const ids = actions.map(({ actionId }) => actionId);
      const observed = watcher.of('observation').filter(({ actionId }) => ids.includes(actionId));
      expect(observed.map(({ actionId }) => actionId)).toEqual(ids);
    }
  });

  test('goes on when the sandbox server is started again, and is told what it may have missed', async () => {
    const { id } = await owner.create();
    const watcher = await watch(id);
    await owner.run(id, 'echo one', { actionId: 'one' });
    await watcher.observed('one');
    const killed = serverOf(id);
    process.kill(killed, 'SIGKILL');
    await until(() => processesOf(id).every((pid) => pid !== killed), 'its end');
    await until(async () => (await owner.run(id, 'echo two')).content === 'two', 'a command');
    await owner.run(id, 'echo three', { actionId: 'three' });
    await watcher.observed('three');
    expect(watcher.output('three')).toBe('three\r\n');
    expect(watcher.of('lost-output').length).toBeGreaterThan(0);
    expectWhole(watcher);
  });

  test('goes on when the session is stopped and resumed', async () => {
    const { id } = await owner.create();
    const watcher = await watch(id);
    await owner.change(id, 'stop');
    await owner.change(id, 'resume');
    await owner.run(id, 'echo again', { actionId: 'again' });
    await watcher.observed('again');
    expect(watcher.states()).toEqual(['stopped', 'starting', 'running']);
    expect(watcher.output('again')).toBe('again\r\n');
    expectWhole(watcher);
  });

  test('of a paused session gets its journal, and the output when it goes on', async () => {
    const { id } = await owner.create();
    const early = await watch(id);
    const running = owner.run(id, 'for i in $(seq 40); do echo $i; sleep 0.02; done', {
      actionId: 'counting',
    });
    await early.until(() => early.output('counting').includes('5'), 'its output');
    await owner.change(id, 'pause');
    const late = await watch(id, 0);
    expect(late.states()).toEqual(['starting', 'running', 'paused']);
    await owner.change(id, 'resume');
    await running;
    await early.observed('counting');
    await late.observed('counting');
    const all = Array.from({ length: 40 }, (_, index) => `${index + 1}\r\n`).join('');
    expect(early.output('counting')).toBe(all);
    expect(all.endsWith(late.output('counting'))).toBe(true);
    expect(late.output('counting')).toContain('40');
  });

  test('of a session that is deleted is told so, and no more', async () => {
    const { id } = await owner.create();
    const watcher = await watch(id);
    await owner.remove(id);
    expect(await watcher.closed).toMatchObject({ code: 1001 });
    expect(watcher.of('state').at(-1)).toMatchObject({ state: 'stopped', reason: 'it was deleted' });
  });
});

describe('a watcher that is too slow', needs, () => {
  const place = usePlace();

  test(
    'loses output only, and is told so, and costs the gateway no memory',
    { timeout: 300_000 },
    async () => {
      const { owner, pid } = await place.spawn();
      const { id } = await owner.create();
      const watcher = await owner.watch(id).live();
      onTestFinished(() => watcher.close());
      watcher.socket.pause();
      const print = (bytes: number) =>
        `head -c ${bytes} /dev/zero | tr "\\0" x | fold -w 1000; echo "all printed"`;
      await owner.run(id, print(30_000_000), { timeout: 100 });
      const before = residentBytes(pid);
      let most = before;
      const sampling = setInterval(() => (most = Math.max(most, residentBytes(pid))), 50);
      const ran = await owner.run(id, print(100_000_000), { timeout: 200 });
      clearInterval(sampling);
      expect(ran).toMatchObject({ exitCode: 0, content: expect.stringContaining('all printed') });
      // The heap may still grow to its working size, by less than 50 MB; what was kept for the watcher would come on top.
      expect(most - before).toBeLessThan(60_000_000);

      await owner.run(id, 'echo "still here"', { actionId: 'after' });
      watcher.socket.resume();
      await watcher.observed('after');
      expect(watcher.of('lost-output').length).toBeGreaterThan(0);
      expect(watcher.output().length).toBeLessThan(10_000_000);
      expectWhole(watcher);
    },
  );
});

/** All records from the first one on, in order. */
function expectWhole(watcher: Watcher): void {
  const seqs = watcher.events.flatMap((event) =>
    'seq' in event && event.type !== 'live' ? [event.seq] : [],
  );
  expect(seqs).toEqual(seqs.map((_, index) => seqs[0]! + index));
}

function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}
