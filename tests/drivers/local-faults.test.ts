import { prepareSandboxBundle } from '@fairlead/sandbox/bundle';
import { chmodSync, chownSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Driver, DriverError } from '../../packages/gateway/src/drivers/driver.ts';
import { openLocalDriver } from '../../packages/gateway/src/drivers/local/local-driver.ts';
import { act } from './support/act.ts';
import { DriverProcess } from './support/driver-process.ts';
import { newId, nobody, Place } from './support/place.ts';
import { argvOf, firstOf, processesOf, read } from './support/processes.ts';

const isRoot = process.getuid?.() === 0;

describe('the local driver', { tags: ['bwrap', 'tmux', 'python3'] }, () => {
  let place: Place;
  let driver: Driver;

  beforeAll(async () => {
    place = new Place();
    driver = openLocalDriver({
      stateDir: place.stateDir,
      bundle: await prepareSandboxBundle(),
      isolation: 'bubblewrap',
    });
  });

  afterAll(async () => {
    for (const id of await driver.list()) await driver.stop(id);
    await driver.close();
    place.remove();
  });

  test('loses no sandbox, and none of its processes, whenever the gateway is killed during a start', async () => {
    let midway = 0;
    for (const afterMs of [0, 4, 8, 14, 22, 35, 60, 110]) {
      const spec = place.spec();
      const killed = await DriverProcess.open({ stateDir: place.stateDir, isolation: 'bubblewrap' });
      // So that the moment is one of the start, not of what it needs to know first.
      await killed.diagnose();
      const isStarted = killed
        .start(spec, () => {})
        .then(
          () => true,
          () => false,
        );
      await delay(afterMs);
      await killed.kill();
      if (!(await isStarted)) midway += 1;
      // One that is gone already can only have been on its way to make one.
      const processes = processesOf(spec.id);
      if (processes.length > 0) expect(await driver.list()).toContain(spec.id);
      await driver.start(spec, () => {});
      expect(await act(spec, 'echo works')).toMatchObject({ content: 'works' });
      await driver.stop(spec.id);
      expect(processesOf(spec.id)).toEqual([]);
    }
    expect(midway).toBeGreaterThan(4);
  }, 60_000);

  test('finds and ends a sandbox whose monitor was killed', async () => {
    const spec = place.spec();
    await driver.start(spec, () => {});
    const monitor = processesOf(spec.id).find((pid) => argvOf(pid)[0] === 'bwrap');
    process.kill(monitor!, 'SIGKILL');
    const next = openLocalDriver({
      stateDir: place.stateDir,
      bundle: { mounts: [], command: [] },
      isolation: 'bubblewrap',
    });
    expect(await next.list()).toContain(spec.id);
    expect(await next.status(spec.id)).toBe('running');
    expect(await act(spec, 'echo works')).toMatchObject({ content: 'works' });
    await next.stop(spec.id);
    expect(processesOf(spec.id)).toEqual([]);
    await next.close();
  });

  test('says which part of the bundle is missing, at once', async () => {
    const source = join(place.stateDir, 'no-such-bundle');
    const bundle = { mounts: [{ source, target: '/opt/fairlead' }], command: ['/opt/fairlead/server'] };
    const broken = openLocalDriver({ stateDir: place.stateDir, bundle, isolation: 'bubblewrap' });
    const spec = place.spec();
    const startedMs = performance.now();
    await expect(broken.start(spec, () => {})).rejects.toThrow(/did not start.*no-such-bundle: No such file/);
    expect(performance.now() - startedMs).toBeLessThan(10_000);
    expect(processesOf(spec.id)).toEqual([]);
    await broken.close();
  });

  test('refuses a workspace in which the keys of the gateway are', async () => {
    for (const workspace of [place.stateDir, dirname(place.stateDir), '/']) {
      const spec = place.spec();
      spec.directories.workspace = workspace;
      await expect(driver.start(spec, () => {})).rejects.toThrow(
        /contains the gateway's own state.*another folder/,
      );
    }
  });

  test('refuses a state directory that is too deep for a socket', async () => {
    const deep = place.spec({ id: newId() });
    deep.directories.run = join('/tmp', 'x'.repeat(90), deep.id);
    await expect(driver.start(deep, () => {})).rejects.toThrow(/too long for a socket.*shorter --state-dir/);
  });

  test('does not have the terminal of a gateway that has one', async () => {
    const within = ['/usr/bin/python3', '-c', 'import pty, sys; pty.spawn(sys.argv[1:])'];
    const seen = await DriverProcess.open({ stateDir: place.stateDir, isolation: 'bubblewrap', within });
    onTestFinished(() => seen.close());
    const spec = place.spec();
    await seen.start(spec, () => {});
    const gateway = childrenOf(seen.child.pid!)[0]!;
    expect(terminalOf(gateway)).not.toBe('0');
    const processes = processesOf(spec.id);
    const withTerminal = processes.filter((pid) => terminalOf(pid) !== '0');
    expect(withTerminal).not.toContain(firstOf(spec.id));
    // A terminal belongs to one session of processes; theirs began inside.
    for (const pid of withTerminal) expect(processes).toContain(leaderOf(pid));
    const { content } = await act(spec, 'setsid --wait python3 -c \'open("/dev/tty")\' 2>&1 | tail -n 1');
    expect(content).toContain('No such device or address');
    await seen.stop(spec.id);
  });

  test('says how to get bubblewrap where there is none', async () => {
    const without = ['bwrap', '--dev-bind', '/', '/', '--tmpfs', '/usr/bin'];
    const bare = await DriverProcess.open({
      stateDir: place.stateDir,
      isolation: 'bubblewrap',
      within: without,
    });
    onTestFinished(() => bare.close());
    expect(await bare.diagnose()).toEqual({
      ok: false,
      detail: 'bubblewrap does not work: it is not installed',
      remedy: expect.stringMatching(/apt-get install bubblewrap.*--no-isolation/),
    });
    const spec = place.spec();
    const failure = await bare.start(spec, () => {}).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DriverError);
    expect((failure as Error).message).toMatch(/not installed; install it.*--no-isolation/);
    expect(processesOf(spec.id)).toEqual([]);
  });

  if (isRoot) {
    test('warns of a workspace that the session cannot change, and refuses what it cannot read', async () => {
      const spec = place.spec();
      chownSync(spec.directories.workspace, nobody, nobody);
      const refused = driver.start(spec, () => {});
      await expect(refused).rejects.toThrow(
        /belongs to user id 65534.*cannot read it.*run the gateway as its owner/,
      );
      chmodSync(spec.directories.workspace, 0o755);
      const told: string[] = [];
      await driver.start(spec, (text) => told.push(text));
      expect(told.join('\n')).toMatch(/Warning: .* belongs to user id 65534.*cannot change it/);
      expect((await act(spec, 'touch x')).content).toContain('Permission denied');
      await driver.stop(spec.id);
    });

    test('says what to do where namespaces are forbidden', async () => {
      const own = new Place(nobody);
      onTestFinished(() => own.remove());
      const within = ['bwrap', '--dev-bind', '/', '/', '--unshare-user', '--disable-userns'];
      const options = { stateDir: own.stateDir, isolation: 'bubblewrap', uid: nobody, within } as const;
      const forbidden = await DriverProcess.open(options);
      onTestFinished(() => forbidden.close());
      expect(await forbidden.diagnose()).toEqual({
        ok: false,
        detail: expect.stringMatching(/bubblewrap cannot make a sandbox on this machine: bwrap: .+/),
        remedy: expect.stringMatching(/namespaces.*--no-isolation/),
      });
    });
  }
});

/** The number of the controlling terminal; 0 for none. */
function terminalOf(pid: number): string | undefined {
  return statOf(pid)[4];
}

function leaderOf(pid: number): number {
  return Number(statOf(pid)[3]);
}

function statOf(pid: number): string[] {
  return read(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ');
}

function childrenOf(pid: number): number[] {
  return read(pid, `task/${pid}/children`).trim().split(' ').map(Number);
}
