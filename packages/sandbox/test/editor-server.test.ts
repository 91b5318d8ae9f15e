import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { EditorServer } from '../src/editor-server/editor-server.ts';
import {
  askEditor,
  editorPlace,
  type EditorPlace,
  installFake,
  isAlive,
  startEditor,
  untilEditor,
} from './support/editor-place.ts';
import { SandboxProcess } from './support/process.ts';
import { call, temporaryDirectory } from './support/test-server.ts';

const editorFolder = ['.local', 'share', 'fairlead-editor'];

describe('the editor', () => {
  test('is started when it is asked for, listens for its owner only, and ends with all it started', async () => {
    const place = await editorPlace();
    installFake(place.bin);
    const server = await place.start();
    expect((await askEditor(server)).json).toEqual({
      state: 'stopped',
      product: 'code-server',
      version: null,
      detail: 'The first visit starts it',
      folder: place.workspace,
      token: null,
    });
    expect(existsSync(join(place.workspace, 'editor.json'))).toBe(false);
    expect((await askEditor(server, 'POST')).json.state).toBe('starting');
    expect(await untilEditor(server, 'running')).toMatchObject({ version: 'abc123' });
    expect(statSync(place.socket).mode & 0o777).toBe(0o600);
    expect((await call(place.socket, 'GET', '/')).text).toBe('hello');
    const { pid, helper } = place.notes();
    expect([isAlive(pid), isAlive(helper)]).toEqual([true, true]);
    expect((await askEditor(server, 'DELETE')).json.state).toBe('stopped');
    expect([isAlive(pid), isAlive(helper), existsSync(place.socket)]).toEqual([false, false, false]);
  });

  test('comes with the extension that it was given, until the person removes it', async () => {
    const place = await editorPlace();
    installFake(place.bin);
    const [first, second] = [join(place.directory, 'first'), join(place.directory, 'second')];
    const link = join(place.home, ...editorFolder, 'extensions', 'fairlead.fairlead');
    const startWith = async (extension: string) => {
      const server = await place.start({ env: { FAIRLEAD_EDITOR_EXTENSION: extension } });
      await startEditor(server);
      await server.stop('SIGTERM');
    };
    await startWith(first);
    expect(readlinkSync(link)).toBe(first);
    await startWith(second);
    expect(readlinkSync(link)).toBe(second);
    rmSync(link);
    await startWith(second);
    expect(existsSync(link)).toBe(false);
  });

  test('is started once by two who ask at the same time', async () => {
    const place = await editorPlace();
    installFake(place.bin);
    const server = await place.start();
    await Promise.all([askEditor(server, 'POST'), askEditor(server, 'POST')]);
    await untilEditor(server, 'running');
    const { pid } = place.notes();
    await startEditor(server);
    expect(place.notes().pid).toBe(pid);
  });

  test('ends with the server', async () => {
    const place = await editorPlace();
    installFake(place.bin);
    const server = await place.start();
    await startEditor(server);
    const { pid, helper } = place.notes();
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0 });
    expect([isAlive(pid), isAlive(helper)]).toEqual([false, false]);
  });

  test('that dies is told, and started again by the next visit', async () => {
    const place = await editorPlace();
    installFake(place.bin);
    const server = await place.start();
    await startEditor(server);
    const first = place.notes();
    process.kill(first.pid, 'SIGKILL');
    expect(await untilEditor(server, 'stopped')).toMatchObject({
      detail: 'code-server was ended by SIGKILL; the next visit starts it again',
    });
    await startEditor(server);
    expect(place.notes().pid).not.toBe(first.pid);
    expect(isAlive(first.helper)).toBe(false);
  });

  test('that cannot start tells why, and can be tried again', async () => {
    const place = await editorPlace();
    installFake(place.bin);
    writeFileSync(join(place.workspace, 'broken'), '');
    const server = await place.start();
    await askEditor(server, 'POST');
    expect(await untilEditor(server, 'failed')).toMatchObject({
      detail:
        'code-server ended with code 3 before it answered\nthe editor is coming up\nthere is no room for an editor',
    });
    rmSync(join(place.workspace, 'broken'));
    await startEditor(server);
  });

  test('whose home cannot be written says so', async () => {
    const place = await editorPlace();
    installFake(place.bin);
    writeFileSync(join(place.home, '.local'), 'in the way');
    const server = await place.start();
    await askEditor(server, 'POST');
    const { detail } = await untilEditor(server, 'failed');
    expect(detail).toMatch(/^code-server ended with code 1: mkdir: .*\.local/);
  });

  test('is ended when nobody has said for long that somebody is there', async () => {
    const place = await editorPlace();
    installFake(place.bin);
    const server = await place.start({ args: ['--editor-idle', '2'] });
    await startEditor(server);
    const { pid } = place.notes();
    for (let round = 0; round < 7; round += 1) {
      await delay(400);
      expect((await askEditor(server, 'POST')).json.state).toBe('running');
    }
    expect(place.notes().pid).toBe(pid);
    // To look is not to use.
    expect(await untilEditor(server, 'stopped')).toMatchObject({
      detail: 'It was stopped after 2 seconds without visitors; the next visit starts it again',
    });
    await askEditor(server, 'DELETE');
    expect(isAlive(pid)).toBe(false);
  });

  test('outlives a server that is killed; the next one takes it over', async () => {
    const { place, pid, helper } = await editorOfKilledServer();
    const server = await place.start();
    expect(await untilEditor(server, 'running')).toMatchObject({ product: 'code-server', version: 'abc123' });
    await startEditor(server);
    expect([place.notes().pid, isAlive(pid)]).toEqual([pid, true]);
    process.kill(pid, 'SIGKILL');
    await untilEditor(server, 'stopped');
    await startEditor(server);
    expect(isAlive(helper)).toBe(false);
    await server.stop('SIGTERM');
    expect(isAlive(place.notes().pid)).toBe(false);
  });

  test('of a killed server is ended by one that has the session for another workspace', async () => {
    const { place, pid, helper } = await editorOfKilledServer();
    const server = await place.start({ args: ['--working-dir', join(place.directory, 'other')] });
    expect([isAlive(pid), isAlive(helper)]).toEqual([false, false]);
    expect((await askEditor(server)).json.state).toBe('stopped');
  });

  test('that a killed server left half started is ended by the next', async () => {
    const place = await editorPlace();
    installFake(place.bin);
    writeFileSync(join(place.workspace, 'mute'), '');
    const killed = await place.start();
    await askEditor(killed, 'POST');
    while (!existsSync(place.socket)) await delay(20);
    const { pid } = place.notes();
    await killed.stop('SIGKILL');
    rmSync(join(place.workspace, 'mute'));
    rmSync(place.socket);
    const server = await place.start();
    await startEditor(server);
    expect([isAlive(pid), place.notes().pid === pid]).toEqual([false, false]);
  });
});

describe('which editor', () => {
  test('there is none, which says what to do', async () => {
    const server = await (await editorPlace()).start();
    for (const method of ['GET', 'POST', 'DELETE']) {
      const { status, json } = await askEditor(server, method);
      expect([status, json.state, json.product]).toEqual([200, 'missing', null]);
      expect(json.detail).toContain('fairlead editor install');
    }
  });

  test('a server that was not told where it may listen has none', async () => {
    const directory = await temporaryDirectory();
    const server = await new SandboxProcess(['0', '--terminal', 'pty', '--working-dir', directory]).ready();
    expect((await askEditor(server, 'POST')).json).toMatchObject({
      state: 'missing',
      detail: expect.stringContaining('--editor-socket'),
    });
  });

  test.each([
    ['code-server', ['code', 'openvscode-server', 'code-server']],
    ['openvscode-server', ['code', 'openvscode-server']],
    ['serve-web', ['code']],
  ])('%s is taken of %s on PATH', async (product, names) => {
    const place = await editorPlace();
    for (const name of names) installFake(place.bin, name);
    const server = await place.start();
    expect(await startEditor(server)).toMatchObject({ product });
    expect(place.notes().args[0] === 'serve-web').toBe(product === 'serve-web');
  });

  test('one that was named stands before PATH, a fallback behind the servers there', async () => {
    const place = await editorPlace();
    mkdirSync(join(place.directory, 'own'));
    const command = [installFake(join(place.directory, 'own'), 'mine'), '--marked'];
    const named = { kind: 'openvscode-server', command };
    const isMarked = async (editor: object) => {
      const server = await place.start({ env: { FAIRLEAD_EDITOR: JSON.stringify(editor) } });
      await startEditor(server);
      const { args, env } = place.notes();
      await server.stop('SIGTERM');
      return [args.includes('--marked'), env.FAIRLEAD_EDITOR];
    };
    expect(await isMarked({ ...named, isFallback: true })).toEqual([true, undefined]);
    installFake(place.bin, 'code');
    expect(await isMarked({ ...named, isFallback: true })).toEqual([true, undefined]);
    installFake(place.bin);
    expect(await isMarked(named)).toEqual([true, undefined]);
    expect(await isMarked({ ...named, isFallback: true })).toEqual([false, undefined]);
  });

  test('one that was named is there when its program is, and no longer', async () => {
    const place = await editorPlace();
    const folder = join(place.directory, 'own');
    const editor = { kind: 'code-server', command: [join(folder, 'code-server')] };
    const server = await place.start({ env: { FAIRLEAD_EDITOR: JSON.stringify(editor) } });
    expect((await askEditor(server, 'POST')).json).toMatchObject({ state: 'missing', product: null });
    mkdirSync(folder);
    installFake(folder);
    expect((await askEditor(server)).json).toMatchObject({ state: 'stopped', product: 'code-server' });
    await startEditor(server);
    const { pid } = place.notes();
    rmSync(folder, { recursive: true });
    expect((await askEditor(server, 'POST')).json).toMatchObject({ state: 'missing', product: null });
    await askEditor(server, 'DELETE');
    expect(isAlive(pid)).toBe(false);
    mkdirSync(folder);
    installFake(folder);
    await startEditor(server);
  });
});

describe.runIf(process.getuid?.() === 0)('for another user', () => {
  test("runs as that user, with that user's files", async () => {
    const place = await editorPlace();
    installFake(place.bin);
    const user = { name: 'nobody', uid: 65_534, gid: 65_534, home: place.home };
    for (const path of [place.directory, place.home, place.workspace]) chownSync(path, user.uid, user.gid);
    chmodSync(place.directory, 0o755);
    const sessionDir = join(place.directory, 'session');
    mkdirSync(sessionDir, { mode: 0o700 });
    const { home, workspace, socket } = place;
    const editor = new EditorServer({
      socket,
      sessionDir,
      workspace,
      home,
      user,
      env: { PATH: `${place.bin}:${process.env.PATH}`, HOME: '/root' },
      given: undefined,
      extension: undefined,
      idleSeconds: 60,
      log: () => undefined,
    });
    onTestFinished(() => editor.close());
    editor.start();
    while (editor.status().state === 'starting') await delay(20);
    expect(editor.status()).toMatchObject({ state: 'running' });
    expect(place.notes()).toMatchObject({ uid: user.uid, env: { HOME: place.home, USER: 'nobody' } });
    const token = statSync(join(home, ...editorFolder, 'connection-token'));
    expect([token.uid, token.mode & 0o777]).toEqual([user.uid, 0o600]);
    await editor.stop();
    expect(isAlive(place.notes().pid)).toBe(false);
  });
});

describe('what an editor gets', () => {
  test("is the shells' environment, without the server's key and settings and those of other editors", async () => {
    const place = await editorPlace();
    installFake(place.bin);
    const server = await place.start({
      env: {
        SESSION_API_KEY: '',
        NO_CHANGE_TIMEOUT_SECONDS: '5',
        FAIRLEAD_SHELL_ENV: '{"APP_PORT_1": "4000", "VSCODE_PROXY_URI": "/apps/{{port}}"}',
        VSCODE_IPC_HOOK_CLI: '/another/editor',
        CODE_SERVER_PARENT_PID: '1',
      },
    });
    await startEditor(server);
    const { env } = place.notes();
    expect(env).toMatchObject({
      HOME: place.home,
      APP_PORT_1: '4000',
      VSCODE_PROXY_URI: '/apps/{{port}}',
      VSCODE_CLI: '1',
    });
    const strangers = ['SESSION_API_KEY', 'NO_CHANGE_TIMEOUT_SECONDS', 'FAIRLEAD_SHELL_ENV'];
    for (const name of [...strangers, 'VSCODE_IPC_HOOK_CLI', 'CODE_SERVER_PARENT_PID']) {
      expect(env).not.toHaveProperty(name);
    }
  });

  test('is settings once: what a person changes stands', async () => {
    const place = await editorPlace();
    installFake(place.bin);
    const server = await place.start();
    await startEditor(server);
    const file = join(place.home, ...editorFolder, 'data', 'User', 'settings.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      'telemetry.telemetryLevel': 'off',
      'workbench.startupEditor': 'none',
      'security.workspace.trust.enabled': false,
      'terminal.integrated.defaultProfile.linux': 'bash',
    });
    await askEditor(server, 'DELETE');
    writeFileSync(file, '{"mine": true}');
    await startEditor(server);
    expect(readFileSync(file, 'utf8')).toBe('{"mine": true}');
  });

  test('is a token of its own, which is the same after a restart and in no list of processes', async () => {
    const place = await editorPlace();
    installFake(place.bin, 'openvscode-server');
    const server = await place.start();
    const { token } = await startEditor(server);
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    const file = join(place.home, ...editorFolder, 'connection-token');
    expect(place.notes().args).toContain(`--connection-token-file=${file}`);
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([token, 0o600]);
    expect(JSON.stringify(place.notes())).not.toContain(token);
    expect((await call(server.address, 'GET', '/vscode/connection_token')).json).toEqual({ token });
    await server.stop('SIGTERM');
    const next = await place.start();
    expect(await startEditor(next)).toMatchObject({ token });
  });

  test('is a log that does not grow without end', async () => {
    const place = await editorPlace();
    installFake(place.bin);
    writeFileSync(join(place.workspace, 'chatty'), '');
    const server = await place.start();
    await startEditor(server);
    const log = join(place.home, ...editorFolder, 'editor.log');
    while (!existsSync(`${log}.1`)) await delay(50);
    const sizes = [log, `${log}.1`].map((path) => statSync(path).size);
    expect(Math.max(...sizes)).toBeLessThan(600_000);
  });
});

async function editorOfKilledServer(): Promise<{ place: EditorPlace; pid: number; helper: number }> {
  const place = await editorPlace();
  installFake(place.bin);
  const killed = await place.start();
  await startEditor(killed);
  await killed.stop('SIGKILL');
  return { place, ...place.notes() };
}
