import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { argvOf, firstOf, processesOf, serverOf } from '../drivers/support/processes.ts';
import type { Answer, Caller } from './support/caller.ts';
import { needs } from './support/needs.ts';
import { Place, usePlace } from './support/place.ts';
import { until } from './support/wait.ts';

describe('what is asked of a session at once', needs, () => {
  const place = usePlace();
  let owner: Caller;
  beforeAll(async () => {
    ({ owner } = await place.start());
  });
  const post = (id: string, how: string) => owner.call('POST', `/api/sessions/${id}/${how}`);

  /** A session with a command that runs until there is a file `go`. */
  async function working(): Promise<{ id: string; running: ReturnType<Caller['run']> }> {
    const { id } = await owner.create();
    const running = owner.run(
      id,
      'touch ran; until [ -e go ]; do sleep 0.02; done; echo "the end"; (exit 5)',
    );
    await until(() => existsSync(join(place.workspaceOf(id), 'ran')), 'the command');
    return { id, running };
  }

  test('five times to resume starts one sandbox', async () => {
    const { id } = await owner.create();
    await owner.change(id, 'stop');
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(id, 'resume')));
    expect(answers.map(({ json }) => json['state'])).toEqual(Array.from({ length: 5 }, () => 'running'));
    expect(statesOf(await owner.journal(id))).toEqual([
      'starting',
      'running',
      'stopped',
      'starting',
      'running',
    ]);
    expect(monitorsOf(id)).toHaveLength(1);
    expect(await owner.run(id, 'echo fine')).toMatchObject({ content: 'fine' });
  });

  test('to stop and to resume comes out as what was asked last', async () => {
    const { id } = await owner.create();
    for (let round = 0; round < 3; round += 1) {
      const [stopped, resumed] = await Promise.all([post(id, 'stop'), post(id, 'resume')]);
      expect([stopped.status, resumed.status]).toEqual([200, 200]);
      expect(await owner.session(id)).toMatchObject({ state: 'running' });
      expect(await owner.run(id, 'echo fine')).toMatchObject({ content: 'fine' });
    }
    expect(monitorsOf(id)).toHaveLength(1);
  });

  test('to delete it three times, and to resume it, leaves nothing', async () => {
    const { id } = await owner.create();
    await owner.change(id, 'stop');
    const remove = () => owner.call('DELETE', `/api/sessions/${id}`);
    const answers = await Promise.all([remove(), post(id, 'resume'), remove(), post(id, 'resume'), remove()]);
    for (const { status } of answers) expect(status).toBeOneOf([200, 204, 404, 409]);
    expect(answers[0].status).toBe(204);
    expect((await owner.call('GET', `/api/sessions/${id}`)).status).toBe(404);
    expect(processesOf(id)).toEqual([]);
    expect(existsSync(place.directoryOf(id))).toBe(false);
  });

  test('to stop it while it is being started ends the start', async () => {
    const creating = owner.tryCreate({ labels: { race: 'start' } });
    const id = await until(async () => (await owner.sessions('?label=race=start'))[0]?.id, 'the session');
    expect((await post(id, 'stop')).json).toMatchObject({ state: 'stopped', reason: 'stopped by its owner' });
    const created = await creating;
    expect(created.status).toBeOneOf([201, 409]);
    expect(processesOf(id)).toEqual([]);
    expect(await owner.session(id)).toMatchObject({ state: 'stopped' });
    await owner.change(id, 'resume');
    expect(await owner.run(id, 'echo fine')).toMatchObject({ content: 'fine' });
  });

  test('to stop it while its sandbox is brought back ends it', async () => {
    const { id, running } = await working();
    process.kill(firstOf(id)!, 'SIGKILL');
    expect((await post(id, 'stop')).json).toMatchObject({ state: 'stopped' });
    expect((await running).content).toMatch(/unknown/);
    expect(await owner.session(id)).toMatchObject({ state: 'stopped', reason: 'stopped by its owner' });
    expect(processesOf(id)).toEqual([]);
  });

  test('to pause it while its server is brought back loses nothing of the command that runs', async () => {
    const { id, running } = await working();
    process.kill(serverOf(id), 'SIGKILL');
    expect((await post(id, 'pause')).json).toMatchObject({ state: 'paused' });
    await delay(200);
    expect((await post(id, 'resume')).json).toMatchObject({ state: 'running' });
    await owner.run(id, 'touch go', { shell: 'other' });
    expect(await running).toMatchObject({ content: 'the end', exitCode: 5 });
  });

  test('to resume it when it was killed in its sleep starts it again, and what ran is unknown', async () => {
    const { id, running } = await working();
    await owner.change(id, 'pause');
    // Some kernels end it only when it moves again.
    process.kill(firstOf(id)!, 'SIGKILL');
    expect(await owner.session(id)).toMatchObject({ state: 'paused' });
    expect((await post(id, 'resume')).json).toMatchObject({ state: 'running' });
    expect((await running).content).toMatch(/unknown/);
    expect(await owner.run(id, 'ls')).toMatchObject({ content: 'ran' });
  });

  test('to stop it while actions come in answers each of them', async () => {
    const { id } = await owner.create();
    const shells = Array.from({ length: 6 }, (_, index) => `s${index}`);
    const running = shells.map((shell) => owner.run(id, 'echo fine', { shell }));
    const stopped = post(id, 'stop');
    running.push(...shells.map((shell) => owner.run(id, 'echo fine', { shell })));
    expect((await stopped).json).toMatchObject({ state: 'stopped' });
    for (const ran of await Promise.all(running)) {
      expect(ran.status).toBeOneOf([200, 409]);
      if (ran.exitCode === 0) expect(ran.content).toBe('fine');
    }
    expect(processesOf(id)).toEqual([]);
    const actions = (await owner.journal(id)).filter(({ type }) => type === 'action');
    await until(
      async () =>
        (await owner.journal(id)).filter(({ type }) => type === 'observation').length === actions.length,
      'an observation for each',
    );
  });

  test('an action, when its idle time ends, either runs whole or not at all', async () => {
    const { id } = await owner.create({ idleTimeoutSeconds: 0.9 });
    for (let round = 0; round < 3; round += 1) {
      await delay(880 + 40 * round);
      const ran = await owner.run(id, 'sleep 0.1; echo whole');
      if (ran.status === 409) await owner.change(id, 'resume');
      else expect(ran).toMatchObject({ status: 200, content: 'whole', exitCode: 0 });
    }
  });

  test('anything, in any order, leaves a session that can be used', async () => {
    const { id } = await owner.create();
    const kill = (find: (id: string) => number | undefined) => {
      try {
        process.kill(find(id) ?? 0x7fffffff, 'SIGKILL');
      } catch {
        // There is none at the moment.
      }
    };
    const deeds: (() => unknown)[] = [
      () => post(id, 'pause'),
      () => post(id, 'resume'),
      () => post(id, 'stop'),
      () => owner.run(id, 'echo x', { shell: 'a' }),
      () => owner.run(id, 'sleep 0.1; echo x', { shell: 'b' }),
      () => kill(serverOf),
      () => kill(firstOf),
    ];
    const order = Array.from({ length: 24 }, () => Math.floor(Math.random() * deeds.length));
    const answers: Promise<unknown>[] = [];
    for (const index of order) {
      answers.push(Promise.resolve(deeds[index]!()));
      await delay(40);
    }
    // A paused session keeps its actions waiting.
    const isUsable = async () => {
      await post(id, 'resume');
      return (await owner.run(id, 'echo usable')).content === 'usable';
    };
    await until(isUsable, `a usable session after ${order.join(' ')}`, 30_000);
    for (const answer of (await Promise.all(answers)) as (Answer | undefined)[])
      expect(answer?.status ?? 200, order.join(' ')).toBeOneOf([200, 409, 502]);
    expect(monitorsOf(id)).toHaveLength(1);
    const seqs = (await owner.journal(id)).flatMap((event) => ('seq' in event ? [event.seq] : []));
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  });
});

describe('sessions that are created while the gateway ends', needs, () => {
  test('run, or are refused, or can be started by the next', async () => {
    const place = new Place();
    try {
      const first = await place.start();
      const creating = Array.from({ length: 6 }, () =>
        first.owner.tryCreate().catch((error: Error) => error),
      );
      await until(async () => (await first.owner.sessions()).length > 0, 'the first');
      await first.gateway.close();
      const answers = await Promise.all(creating);
      const created = answers.flatMap((answer) =>
        answer instanceof Error || answer.status !== 201 ? [] : [String(answer.json['id'])],
      );

      const { owner } = await place.start();
      for (const { id, state } of await owner.sessions()) {
        if (created.includes(id)) expect(state).toBe('running');
        else expect(state).toBeOneOf(['stopped', 'failed']);
        if (state !== 'running') await owner.change(id, 'resume');
        expect(await owner.run(id, 'echo fine')).toMatchObject({ content: 'fine' });
      }
    } finally {
      await place.end();
    }
  });
});

function statesOf(events: { type: string }[]): string[] {
  return events.flatMap((event) => ('state' in event ? [String(event.state)] : []));
}

/** The processes outside that hold a sandbox: one for each. */
function monitorsOf(id: string): number[] {
  return processesOf(id).filter((pid) => argvOf(pid)[0] === 'bwrap');
}
