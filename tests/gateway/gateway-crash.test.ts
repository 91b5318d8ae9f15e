import { hash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { firstOf, processesOf } from '../drivers/support/processes.ts';
import { type Caller, runEvent } from './support/caller.ts';
import { GitServer } from './support/git-server.ts';
import { needs } from './support/needs.ts';
import { type Place, usePlace } from './support/place.ts';
import { handOver } from './support/sandbox-request.ts';
import { until } from './support/wait.ts';

/** Runs until a file `go` is there. */
const command = 'echo x >> ran; until [ -e go ]; do sleep 0.02; done; echo "the end"; (exit 5)';

describe('a gateway that is killed while a command runs', needs, () => {
  const place = usePlace();

  test('has a successor that tells the real observation, of a command that ran once', async () => {
    const killed = await place.spawn();
    const { id } = await killed.owner.create();
    const cutOff = killed.owner.run(id, command, { key: 'k' }).catch((error: Error) => error);
    await begun(place, id);
    await killed.kill();
    expect(await cutOff).toBeInstanceOf(Error);

    const { owner, logged } = await place.start();
    expect(logged).toContain(`session ${id} goes on`);
    const retried = owner.run(id, command, { key: 'k' });
    letEnd(place, id);
    expect(await retried).toMatchObject({ status: 200, content: 'the end', exitCode: 5, isReplay: true });
    expect(timesRun(place, id)).toBe(1);
    // The shell is the same as before.
    expect(await owner.run(id, 'echo "$?"; cat ran')).toMatchObject({ content: '5\nx' });
  });
});

describe('a gateway that is killed', needs, () => {
  const place = usePlace();

  test('after a command has ended, but before that is recorded, loses nothing of it', async () => {
    const { id, actionId } = await recordedOnly(place, 'echo x >> ran; echo "ran in the gap"; (exit 4)');
    // Its sandbox gets it and answers, and nobody takes that down.
    const event = runEvent('echo x >> ran; echo "ran in the gap"; (exit 4)');
    expect(await handOver(place.socketOf(id), actionId, event)).toMatchObject({ content: 'ran in the gap' });

    const { owner, gateway } = await place.start();
    await until(
      async () => (await owner.journal(id)).some(({ type }) => type === 'observation'),
      'its record',
    );
    expect(await owner.run(id, 'echo x >> ran; echo "ran in the gap"; (exit 4)', { key: 'k' })).toMatchObject(
      {
        content: 'ran in the gap',
        exitCode: 4,
        isReplay: true,
      },
    );
    expect(timesRun(place, id)).toBe(1);
    await gateway.close();
  });

  test('after an action was recorded, but before it was handed over, never runs it', async () => {
    const { id } = await recordedOnly(place, 'echo x >> ran');
    const { owner, gateway } = await place.start();
    const told = await owner.run(id, 'echo x >> ran', { key: 'k' });
    expect(told).toMatchObject({ status: 200, observation: 'error', isReplay: true });
    expect(told.content).toMatch(/never reached the sandbox. It was not run and will not be run/);
    expect(await owner.run(id, 'ls')).toMatchObject({ content: '' });
    expect(await owner.run(id, 'echo x >> ran', { key: 'k' })).toEqual(told);
    expect(existsSync(join(place.workspaceOf(id), 'ran'))).toBe(false);
    await gateway.close();
  });

  /** As if it were killed right after it had recorded an action. */
  async function recordedOnly(place: Place, command: string): Promise<{ id: string; actionId: string }> {
    const { owner, gateway } = await place.start();
    const { id } = await owner.create();
    const text = JSON.stringify(runEvent(command));
    await gateway.close();
    const actionId = 'recordedonly';
    await place.useStore((store) =>
      store.journal.beginAction({
        sessionId: id,
        actionId,
        idempotencyKey: 'k',
        bodyHash: hash('sha256', text),
        shell: 'main',
        time: new Date().toISOString(),
        eventJson: text,
      }),
    );
    return { id, actionId };
  }
});

describe('a gateway that is told to end while a command runs', needs, () => {
  const place = usePlace();

  test('answers it when it ends in time', async () => {
    const gateway = await place.spawn();
    const { id } = await gateway.owner.create();
    const running = gateway.owner.run(id, command, { key: 'k' });
    await begun(place, id);
    const closed = gateway.close();
    await until(
      async () => (await gateway.owner.call('POST', `/api/sessions/${id}/resume`)).status === 503,
      'it',
    );
    letEnd(place, id);
    expect(await running).toMatchObject({ content: 'the end', exitCode: 5 });
    expect(await closed).toBe(1);
  });

  test('refuses to wait longer, and its successor has the real observation', async () => {
    const gateway = await place.spawn();
    const { id } = await gateway.owner.create();
    const running = gateway.owner.run(id, command, { key: 'k' });
    await begun(place, id);
    const closed = gateway.close();
    expect(await running).toMatchObject({
      status: 503,
      content: expect.stringContaining('The gateway is shutting down'),
    });
    expect(await closed).toBe(2);

    const { owner } = await place.start();
    letEnd(place, id);
    expect(await owner.run(id, command, { key: 'k' })).toMatchObject({
      content: 'the end',
      exitCode: 5,
      isReplay: true,
    });
    expect(timesRun(place, id)).toBe(1);
  });
});

describe('the next gateway', needs, () => {
  const place = usePlace();
  let git: GitServer | undefined;
  afterAll(() => git?.close());

  test('takes up running and paused sessions, whether the one before was killed or ended', async () => {
    const first = await place.spawn();
    const [running, paused, stopped] = await Promise.all(
      Array.from({ length: 3 }, () => first.owner.create()),
    );
    await first.owner.run(running!.id, 'export KEPT=1; cd /tmp');
    await first.owner.run(paused!.id, 'export KEPT=2');
    await first.owner.change(paused!.id, 'pause');
    await first.owner.change(stopped!.id, 'stop');
    await first.kill();

    const second = await place.spawn();
    await expectAll(second.owner);
    expect(await second.close()).toBe(2);

    const { owner, gateway } = await place.start();
    await expectAll(owner);
    await owner.change(paused!.id, 'resume');
    expect(await owner.run(paused!.id, 'echo $KEPT')).toMatchObject({ content: '2' });
    await gateway.close();

    async function expectAll(owner: Caller): Promise<void> {
      expect(await owner.session(paused!.id)).toMatchObject({ state: 'paused' });
      expect(await owner.session(stopped!.id)).toMatchObject({ state: 'stopped' });
      expect(await owner.session(running!.id)).toMatchObject({ state: 'running', reason: null });
      expect(await owner.run(running!.id, 'echo $KEPT; pwd')).toMatchObject({ content: '1\n/tmp' });
    }
  });

  test('tells a session whose sandbox is gone as stopped, and can go on with it', async () => {
    const first = await place.spawn();
    const { id } = await first.owner.create();
    const cutOff = first.owner.run(id, command, { key: 'k' }).catch((error: Error) => error);
    await begun(place, id);
    await first.kill();
    await cutOff;
    process.kill(firstOf(id)!, 'SIGKILL');
    await until(() => processesOf(id).length === 0, 'its end');

    const { owner, gateway } = await place.start();
    const reason = 'its sandbox ended while no gateway was running';
    expect(await owner.session(id)).toMatchObject({ state: 'stopped', reason });
    await owner.change(id, 'resume');
    const told = await owner.run(id, command, { key: 'k' });
    expect(told.content).toMatch(/outcome of this action is unknown: its sandbox ended while no gateway was/);
    expect(await owner.run(id, 'cat ran')).toMatchObject({ content: 'x' });
    await gateway.close();
  });

  test('tells a session that was being started as failed, and can start it', async () => {
    git = await GitServer.start();
    const first = await place.spawn();
    const workspace = { kind: 'git', url: `${git.url}/silent.git` } as const;
    const cutOff = first.owner
      .tryCreate({ workspace, labels: { start: 'slow' } })
      .catch((error: Error) => error);
    await until(() => git!.asked.length > 0, 'the clone');
    await first.kill();
    await cutOff;

    const { owner, gateway } = await place.start();
    const [session] = await owner.sessions('?label=start=slow');
    expect(session).toMatchObject({
      state: 'failed',
      reason: 'the gateway ended while the session was starting; resume it',
    });
    expect(processesOf(session!.id)).toEqual([]);
    const url = `${git.url}/repository.git`;
    await place.useStore((store) => store.sessions.update(session!.id, { workspace: { kind: 'git', url } }));
    await owner.change(session!.id, 'resume');
    expect(await owner.run(session!.id, 'cat file')).toMatchObject({ content: 'from main' });
    await gateway.close();
  });

  test('ends sandboxes, and removes files, of sessions that are not known', async () => {
    const first = await place.spawn();
    const { id } = await first.owner.create();
    await first.kill();
    await place.useStore((store) => store.sessions.remove(id));
    expect(processesOf(id)).not.toEqual([]);
    const { gateway } = await place.start();
    expect(processesOf(id)).toEqual([]);
    expect(existsSync(place.directoryOf(id))).toBe(false);
    await gateway.close();
  });

  test('is refused while there is one, by the process id of that', async () => {
    const first = await place.spawn();
    const { id } = await first.owner.create();
    await expect(place.start()).rejects.toThrow(
      `The state directory ${place.stateDir} is in use by the gateway with process id ${first.pid}; ` +
        'stop it, or choose another --state-dir',
    );
    expect(await first.owner.run(id, 'echo unharmed')).toMatchObject({ content: 'unharmed' });
    await first.kill();
    const { gateway } = await place.start();
    await gateway.close();
  });
});

async function begun(place: Place, id: string): Promise<void> {
  await until(() => existsSync(join(place.workspaceOf(id), 'ran')), 'the command');
}

function letEnd(place: Place, id: string): void {
  writeFileSync(join(place.workspaceOf(id), 'go'), '');
}

function timesRun(place: Place, id: string): number {
  return readFileSync(join(place.workspaceOf(id), 'ran'), 'utf8').split('\n').length - 1;
}
