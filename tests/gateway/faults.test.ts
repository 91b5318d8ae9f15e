import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from './support/caller.ts';
import { needs } from './support/needs.ts';
import { Place, usePlace } from './support/place.ts';
import { until } from './support/wait.ts';

describe.runIf(canMount())('a gateway whose disk is full', needs, () => {
  let disk: string;
  let folder: string;
  let filler: string;
  let place: Place;
  let owner: Caller;
  let id: string;

  beforeAll(async () => {
    disk = mkdtempSync(join(tmpdir(), 'fg-'));
    folder = mkdtempSync(join(tmpdir(), 'fg-folder-'));
    filler = join(disk, 'filler');
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'none', disk]);
    place = new Place(mkdtempSync(join(disk, 'fg-')));
    ({ owner } = await place.start());
    ({ id } = await owner.create({ workspace: { kind: 'folder', path: folder } }));
  }, 60_000);
  afterAll(async () => {
    free();
    await place.end().finally(() => {
      execFileSync('umount', ['--lazy', disk]);
      for (const path of [disk, folder]) rmSync(path, { recursive: true, force: true });
    });
  }, 60_000);

  /** To the last block. */
  function fill(): void {
    const file = openSync(filler, 'a');
    for (let block = Buffer.alloc(1_048_576); block.length >= 4_096;) {
      try {
        writeSync(file, block);
      } catch {
        block = block.subarray(0, block.length / 2);
      }
    }
    closeSync(file);
  }
  const free = () => rmSync(filler, { force: true });
  const linesOf = (name: string) => readFileSync(join(folder, name), 'utf8').split('\n').length - 1;

  test('does not run what it cannot record', async () => {
    fill();
    const refused = await owner.run(id, 'echo x >> never', { key: 'never' });
    expect(refused.status).toBe(507);
    expect(refused.content).toMatch(
      /cannot write to its store \(.*full.*\), so nothing was executed; free disk space/,
    );
    expect(existsSync(join(folder, 'never'))).toBe(false);
    free();
    expect(await owner.run(id, 'echo x >> never', { key: 'never' })).toMatchObject({
      status: 200,
      exitCode: 0,
    });
    expect(linesOf('never')).toBe(1);
  });

  test('creates no session, and leaves nothing of it', async () => {
    const before = { sessions: await owner.sessions(), files: readdirSync(join(place.stateDir, 'sessions')) };
    fill();
    const { status, json } = await owner.tryCreate();
    expect(status).toBe(507);
    expect(json['detail']).toMatch(/so no session was created; free disk space/);
    free();
    expect({
      sessions: await owner.sessions(),
      files: readdirSync(join(place.stateDir, 'sessions')),
    }).toEqual(before);
  });

  test('keeps an observation that it cannot record until it can', async () => {
    const send = () =>
      owner.run(id, 'echo x >> ran; until [ -e go ]; do sleep 0.02; done; echo "the end"; (exit 5)', {
        key: 'kept',
      });
    const running = send();
    await until(() => existsSync(join(folder, 'ran')), 'the command');
    fill();
    writeFileSync(join(folder, 'go'), '');
    const told = await running;
    expect(told.status).toBe(507);
    expect(told.content).toMatch(/the action was executed but its observation is not recorded/);
    expect((await send()).status).toBe(507);
    free();
    expect(await send()).toMatchObject({ status: 200, content: 'the end', exitCode: 5, isReplay: true });
    expect(linesOf('ran')).toBe(1);
  });

  test('leaves a session as it was when it cannot record its new state', async () => {
    fill();
    const { status, json } = await owner.call('POST', `/api/sessions/${id}/pause`);
    expect(status).toBe(507);
    expect(json['detail']).toMatch(/so the session is not paused; free disk space/);
    expect(await owner.session(id)).toMatchObject({ state: 'running' });
    free();
    expect(await owner.run(id, 'echo moving')).toMatchObject({ content: 'moving', exitCode: 0 });

    await owner.change(id, 'pause');
    fill();
    expect((await owner.call('POST', `/api/sessions/${id}/resume`)).status).toBe(507);
    expect(await owner.session(id)).toMatchObject({ state: 'paused' });
    free();
    await owner.change(id, 'resume');
    expect(await owner.run(id, 'echo moving')).toMatchObject({ content: 'moving', exitCode: 0 });
  });

  test('can still be read', async () => {
    fill();
    expect(await owner.session(id)).toMatchObject({ state: 'running' });
    expect((await owner.journal(id)).length).toBeGreaterThan(4);
    free();
  });
});

describe('a gateway without a Docker engine', needs, () => {
  const place = usePlace();

  test('says so to who wants a container, and leaves no session', async () => {
    const { owner } = await place.start({ dockerSocket: '/nonexistent/docker.sock' });
    const { status, json } = await owner.tryCreate({ driver: 'docker' });
    expect(status).toBe(502);
    expect(json['detail']).toMatch(
      /^The session could not be started: There is no Docker engine at \/nonexistent\/docker\.sock\. Install/,
    );
    expect(await owner.sessions()).toEqual([]);
    expect(readdirSync(join(place.stateDir, 'sessions'))).toEqual([]);
    const started = await owner.create();
    expect(await owner.run(started.id, 'echo works')).toMatchObject({ content: 'works' });
  });
});

describe('a gateway that is about to end', needs, () => {
  const place = usePlace();

  test('takes on nothing new, and says so', async () => {
    const { owner, gateway } = await place.start();
    const [busy, stopped] = await Promise.all([owner.create(), owner.create()]);
    await owner.change(stopped.id, 'stop');
    const running = owner.run(busy.id, 'until [ -e go ]; do sleep 0.02; done; echo done');
    await until(async () => (await owner.journal(busy.id)).at(-1)?.type === 'action', 'the command');
    const closed = gateway.close();

    const refusals = [
      await owner.tryCreate(),
      await owner.call('POST', `/api/sessions/${stopped.id}/resume`),
      await owner.act(busy.id, { action: 'run', args: { command: 'touch late' } }),
      await owner.call('GET', `/runtimes/${busy.id}/alive`),
    ];
    for (const { status, headers, json } of refusals) {
      expect(status).toBe(503);
      expect(headers['retry-after']).toBe('5');
      expect(json['detail']).toBe('The gateway is shutting down; try again in a moment');
    }
    writeFileSync(join(place.workspaceOf(busy.id), 'go'), '');
    expect(await running).toMatchObject({ content: 'done', exitCode: 0 });
    expect(await closed).toEqual({ sessionsLeft: 1 });
    expect(existsSync(join(place.stateDir, 'gateway.json'))).toBe(false);
    expect(existsSync(join(place.workspaceOf(busy.id), 'late'))).toBe(false);
    expect(
      (await place.useStore((store) => store.sessions.list())).map(({ state }) => state).toSorted(),
    ).toEqual(['running', 'stopped']);
  });
});

function canMount(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
