import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Driver, DriverError, type SandboxSpec } from '../../packages/gateway/src/drivers/driver.ts';
import { inside, runFiles } from '../../packages/gateway/src/drivers/inside.ts';
import { act, ask, askText } from './support/act.ts';
import { Place } from './support/place.ts';
import { firstOf, killAll, processesOf, read, serverOf } from './support/processes.ts';
import {
  hasOwnEditor,
  installTestEditor,
  removeTestEditor,
  testEditorVersion,
} from './support/test-editor.ts';
import { until } from './support/until.ts';

export interface DriverUnderTest {
  /** A driver as a gateway with this state directory opens it. Called more than once for one directory. */
  open(stateDir: string): Promise<Driver>;
  /** For a driver that has images: one with bash. */
  image?: string;
  /** Who the gateway runs as, when that is not the test's own user. */
  owner?: number;
  /** What the machine must have. */
  tags: string[];
  /** Whether the sandbox has tmux, whose shells survive the server. */
  hasTmux: boolean;
  enforcesLimits: boolean;
  /** False where paths are the machine's own, and no process of the sandbox is special. */
  isIsolated: boolean;
  /** Ways to ask for what cannot be started, and what is said then. */
  broken: { what: string; changes: Partial<SandboxSpec>; message: RegExp }[];
}

/** What every driver promises, tried on a real one. */
export function describeDriver(name: string, under: DriverUnderTest): void {
  describe(`the driver: ${name}`, { tags: under.tags }, () => {
    let place: Place;
    let driver: Driver;
    const started: string[] = [];

    beforeAll(async () => {
      place = new Place(under.owner);
      driver = await under.open(place.stateDir);
    });

    afterEach(async () => {
      await Promise.all(started.map((id) => driver.stop(id)));
      const left = started.splice(0).flatMap(processesOf);
      expect(left, 'processes left behind').toEqual([]);
    });

    afterAll(async () => {
      await driver.close();
      place.remove();
    });

    function newSpec(changes: Partial<SandboxSpec> = {}): SandboxSpec {
      const spec = place.spec({ image: under.image ?? null, ...changes });
      started.push(spec.id);
      return spec;
    }

    async function start(spec: SandboxSpec): Promise<SandboxSpec> {
      await driver.start(spec, () => {});
      return spec;
    }

    test('can work on this machine', async () => {
      expect(await driver.diagnose()).toMatchObject({ ok: true });
    });

    test('starts a sandbox that runs commands in its workspace', async () => {
      const spec = newSpec();
      expect(await driver.status(spec.id)).toBe('gone');
      await start(spec);
      expect(await driver.status(spec.id)).toBe('running');
      expect(await driver.list()).toContain(spec.id);
      const workspace = under.isIsolated ? inside.workspace : spec.directories.workspace;
      const home = under.isIsolated ? inside.home : spec.directories.home;
      expect(await act(spec, 'pwd; echo ~; echo made inside >made')).toMatchObject({
        content: `${workspace}\n${home}`,
        exitCode: 0,
      });
      expect(readFileSync(join(spec.directories.workspace, 'made'), 'utf8')).toBe('made inside\n');
      writeFileSync(join(spec.directories.workspace, 'given'), 'made outside\n', { mode: 0o644 });
      expect((await act(spec, 'cat given')).content).toBe('made outside');
    });

    test("gives the session's variables to its shells, and nothing of the gateway's to anybody", async () => {
      const env = { GREETING: 'a b"c$d\ne', PATH: '/usr/bin:/bin:/extra', FAIRLEAD_HOST: '0.0.0.0' };
      const spec = await start(newSpec({ env }));
      const names = (
        await act(spec, 'echo "$GREETING"; echo "$PATH"; env -0 | cut -z -d= -f1 | tr "\\0" " "')
      ).content;
      expect(names.split('\n').slice(0, 3)).toEqual(['a b"c$d', 'e', '/usr/bin:/bin:/extra']);
      const ofTheTest = ['VITEST', 'NODE_ENV', 'npm_config_prefix', 'OLDPWD'].filter(
        (name) => name in process.env,
      );
      expect(ofTheTest).toContain('VITEST');
      const environments = processesOf(spec.id).map((pid) => read(pid, 'environ'));
      expect(environments.join('\0')).not.toMatch(/(^|\0)VITEST=/);
      expect(names).not.toContain('VITEST');
      expect(names).not.toContain('FAIRLEAD_HOST');
    });

    test('keeps the workspace, the home and what was done when it is stopped and started again', async () => {
      const spec = await start(newSpec());
      const key = { 'idempotency-key': 'once' };
      const first = await act(spec, 'echo x >>runs; echo kept >~/kept; wc -l <runs', key);
      expect(first.content).toBe('1');
      await driver.stop(spec.id);
      expect(await driver.status(spec.id)).toBe('gone');
      expect(existsSync(join(spec.directories.run, 'server.sock'))).toBe(false);
      await start(spec);
      expect(await act(spec, 'echo x >>runs; echo kept >~/kept; wc -l <runs', key)).toEqual(first);
      expect((await act(spec, 'cat runs ~/kept')).content).toBe('x\nkept');
    });

    test('brings a server back that was killed, with its shells', async () => {
      const spec = await start(newSpec());
      await act(spec, 'kept=in-the-shell');
      const killed = serverOf(spec.id);
      process.kill(killed, 'SIGKILL');
      await until(() => act(spec, 'true').catch(() => false), 'the server to come back');
      expect(serverOf(spec.id)).not.toBe(killed);
      expect(await driver.status(spec.id)).toBe('running');
      if (under.hasTmux) expect((await act(spec, 'echo $kept')).content).toBe('in-the-shell');
    });

    test('sees that a sandbox was killed, and starts it again', async () => {
      const spec = await start(newSpec());
      await act(spec, 'echo before >file; (setsid sleep 1000 &)');
      const first = firstOf(spec.id);
      expect(first !== undefined).toBe(under.isIsolated);
      killAll(first === undefined ? processesOf(spec.id) : [first]);
      await until(async () => (await driver.status(spec.id)) === 'gone', 'the sandbox to be gone');
      await start(spec);
      expect((await act(spec, 'cat file')).content).toBe('before');
      expect(await driver.status(spec.id)).toBe('running');
    });

    test('pauses everything that runs, and lets it go on', async () => {
      const spec = await start(newSpec());
      await act(
        spec,
        `(setsid bash -c 'for ((i = 0; ; i++)); do echo $i >count; done' >/dev/null 2>&1 &); kept=1`,
      );
      const count = () => Number(readFileSync(join(spec.directories.workspace, 'count'), 'utf8'));
      const isCounting = async () => {
        const before = count();
        return until(() => count() > before, 'the loop to count');
      };
      await until(() => existsSync(join(spec.directories.workspace, 'count')), 'the loop');
      await isCounting();
      const finished = act(spec, 'touch begun; for i in {1..10}; do sleep 0.05; done; echo finished');
      await until(() => existsSync(join(spec.directories.workspace, 'begun')), 'a command to begin');
      await driver.pause(spec.id);
      expect(await driver.status(spec.id)).toBe('paused');
      const paused = readFileSync(join(spec.directories.workspace, 'count'), 'utf8');
      await delay(300);
      expect(readFileSync(join(spec.directories.workspace, 'count'), 'utf8')).toBe(paused);
      await driver.resume(spec.id);
      expect(await driver.status(spec.id)).toBe('running');
      await isCounting();
      expect(await finished).toMatchObject({ content: 'finished', exitCode: 0 });
      expect((await act(spec, 'echo $kept')).content).toBe('1');
    });

    test('stops a paused sandbox, and starts one that is paused', async () => {
      const spec = await start(newSpec());
      await act(spec, 'kept=1');
      await driver.pause(spec.id);
      await start(spec);
      expect(await driver.status(spec.id)).toBe('running');
      expect((await act(spec, 'echo $kept')).content).toBe('1');
      await driver.pause(spec.id);
      await driver.stop(spec.id);
      expect(await driver.status(spec.id)).toBe('gone');
      await expect(driver.pause(spec.id)).rejects.toBeInstanceOf(DriverError);
      await expect(driver.resume(spec.id)).rejects.toBeInstanceOf(DriverError);
    });

    test('finds the sandboxes of a gateway that is gone, and only those', async () => {
      const spec = await start(newSpec());
      await act(spec, 'kept=1');
      const next = await under.open(place.stateDir);
      const elsewhere = new Place(under.owner);
      const other = await under.open(elsewhere.stateDir);
      try {
        expect(await other.list()).not.toContain(spec.id);
        expect(await other.status(spec.id)).toBe('gone');
        await other.stop(spec.id);
        expect(await next.list()).toContain(spec.id);
        expect(await next.status(spec.id)).toBe('running');
        await next.start(spec, () => {});
        expect((await act(spec, 'echo $kept')).content).toBe('1');
        await next.pause(spec.id);
        expect(await driver.status(spec.id)).toBe('paused');
        await next.resume(spec.id);
        await next.stop(spec.id);
        expect(processesOf(spec.id)).toEqual([]);
        expect(await driver.status(spec.id)).toBe('gone');
        expect(await driver.list()).not.toContain(spec.id);
      } finally {
        await Promise.all([next.close(), other.close()]);
        elsewhere.remove();
      }
    });

    test('leaves no process when it stops, and has nothing against stopping what is not there', async () => {
      const spec = await start(newSpec());
      await act(spec, '(setsid bash -c "trap : TERM HUP; while :; do sleep 1; done" >/dev/null 2>&1 &)');
      await act(spec, 'sleep 1000 & disown');
      expect(processesOf(spec.id).length).toBeGreaterThan(4);
      await driver.stop(spec.id);
      expect(processesOf(spec.id)).toEqual([]);
      await driver.stop(spec.id);
      await driver.stop('nosuchsandboxatall00');
    });

    test('ends a sandbox whose server does not end by itself', async () => {
      const spec = await start(newSpec());
      process.kill(serverOf(spec.id), 'SIGSTOP');
      await driver.stop(spec.id);
      expect(processesOf(spec.id)).toEqual([]);
    });

    if (under.enforcesLimits) {
      test('holds a sandbox to its limits', async () => {
        const spec = await start(newSpec({ limits: { memoryMb: 256, pids: 64, cpus: 0.25 } }));
        const hog = await act(spec, 'head -c 600000000 /dev/zero | tail | wc -c; echo ${PIPESTATUS[@]}');
        expect(hog.content.split('\n').at(-1)).toBe('141 137 0');
        await act(spec, "(bash -c 'for i in {1..100}; do sleep 100 & done' >/dev/null 2>refused &)");
        const refused = join(spec.directories.workspace, 'refused');
        const isRefused = () =>
          existsSync(refused) && /fork.*unavailable/.test(readFileSync(refused, 'utf8'));
        await until(isRefused, 'a refused process');
        await driver.stop(spec.id);
        await start(spec);
        const busy = await act(spec, 'TIMEFORMAT=%U; time timeout 2 bash -c "while :; do :; done"');
        const userSeconds = Number(busy.content.split('\n').at(-1));
        expect(userSeconds).toBeGreaterThan(0.1);
        expect(userSeconds).toBeLessThan(1);
      });
    } else {
      test('says that it does not enforce limits', async () => {
        const told: string[] = [];
        await driver.start(newSpec({ limits: { memoryMb: 256 } }), (text) => told.push(text));
        expect(told.join('\n')).toMatch(/memoryMb.*not enforced/);
        expect(await driver.diagnose()).toMatchObject({ detail: expect.stringContaining('not enforced') });
      });
    }

    test.for(under.broken)(
      'says what to do about $what, and leaves nothing',
      async ({ changes, message }) => {
        const spec = newSpec(changes);
        const failure = await driver.start(spec, () => {}).catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(DriverError);
        expect((failure as Error).message).toMatch(message);
        expect(await driver.status(spec.id)).toBe('gone');
        expect(await driver.list()).not.toContain(spec.id);
        expect(processesOf(spec.id)).toEqual([]);
      },
    );

    test.skipIf(hasOwnEditor)(
      'has the editor as soon as it is installed and as long as it is, read-only',
      async () => {
        removeTestEditor(place);
        const spec = await start(newSpec());
        expect(await ask(spec, 'GET', '/editor')).toMatchObject({ state: 'missing', product: null });
        await installTestEditor(place);
        expect(await ask(spec, 'GET', '/editor')).toMatchObject({ state: 'stopped', product: 'code-server' });
        expect((await act(spec, 'echo ${FAIRLEAD_EDITOR-none}')).content).toBe('none');
        if (under.isIsolated) {
          const written = await act(spec, `echo >${inside.editor}/more`);
          expect(written.content).toContain('Read-only file system');
        }
        removeTestEditor(place);
        expect(await ask(spec, 'GET', '/editor')).toMatchObject({ state: 'missing', product: null });
      },
    );

    test.skipIf(hasOwnEditor)(
      'runs the editor on a socket that the gateway reaches, and pauses it with the rest',
      async () => {
        await installTestEditor(place);
        const spec = await start(newSpec());
        const visit = () => ask(spec, 'POST', '/editor');
        const isUp = async () => (await visit())['state'] !== 'starting';
        await until(isUp, 'the editor');
        expect(await visit()).toMatchObject({ state: 'running', version: testEditorVersion });
        const socket = join(spec.directories.run, runFiles.editorSocket);
        expect(await askText(socket, 'GET', '/version')).toBe(testEditorVersion);
        await driver.pause(spec.id);
        const late = askText(socket, 'GET', '/version');
        expect(await Promise.race([late, delay(300, 'nothing')])).toBe('nothing');
        await driver.resume(spec.id);
        expect(await late).toBe(testEditorVersion);
      },
    );

    test('makes one sandbox of two starts, and keeps starts and stops in order', async () => {
      const spec = newSpec();
      await Promise.all([start(spec), start(spec)]);
      expect(serverOf(spec.id)).toBeGreaterThan(1);
      await Promise.all([driver.stop(spec.id), start(spec), driver.stop(spec.id)]);
      expect(await driver.status(spec.id)).toBe('gone');
      await Promise.all([start(spec), driver.stop(spec.id), start(spec)]);
      expect((await act(spec, 'echo here')).content).toBe('here');
    });

    test('starts several at once, each with its own', async () => {
      const specs = await Promise.all(
        ['a', 'b', 'c', 'd'].map((mine) => start(newSpec({ env: { MINE: mine } }))),
      );
      const contents = await Promise.all(specs.map(async (spec) => (await act(spec, 'echo $MINE')).content));
      expect(contents).toEqual(['a', 'b', 'c', 'd']);
    });

    test('starts on a run directory in which the sandbox has left traps', async () => {
      const spec = await start(newSpec());
      await driver.stop(spec.id);
      const secret = join(place.stateDir, 'secret');
      writeFileSync(secret, 'not for the sandbox');
      const closed = join(spec.directories.run, 'tmp', 'closed');
      mkdirSync(join(closed, 'below'), { recursive: true });
      for (const path of [join(closed, 'below'), closed, dirname(closed)]) {
        place.giveAway(path);
        chmodSync(path, 0);
      }
      await start(spec);
      await driver.stop(spec.id);
      for (const trap of ['server.log', 'server.sock', 'tmp']) {
        rmSync(join(spec.directories.run, trap), { recursive: true, force: true });
        symlinkSync(secret, join(spec.directories.run, trap));
      }
      await start(spec);
      expect((await act(spec, 'echo here')).content).toBe('here');
      expect(readFileSync(secret, 'utf8')).toBe('not for the sandbox');
    });
  });
}
