import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  askEditor,
  type EditorPlace,
  editorPlace,
  startEditor,
  untilEditor,
} from '../../packages/sandbox/test/support/editor-place.ts';
import { processesWith, type SandboxProcess } from '../../packages/sandbox/test/support/process.ts';
import { call } from '../../packages/sandbox/test/support/test-server.ts';
import { chromiumTags, useChromium } from '../support/chromium.ts';
import { keepScreenshot } from '../support/keep-screenshot.ts';
import { Workbench } from '../support/chromium-workbench.ts';
import { codeServerTags, useCodeServer } from '../support/code-server.ts';
import { openDoor } from '../support/code-server-door.ts';
import { untilShown } from '../workbench/support/until-shown.ts';

const timeout = 300_000;

describe('a real code-server', { tags: [...codeServerTags, ...chromiumTags], timeout }, () => {
  const codeServer = useCodeServer();
  const chromium = useChromium();

  test('answers under its socket, leads to the workspace and proxies no port', async () => {
    const { place, server } = await startSandbox(['--editor-idle', '600']);
    expect(await startEditor(server)).toMatchObject({
      product: 'code-server',
      version: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    const ask = (path: string) => call(place.socket, 'GET', path, undefined, { host: 'sandbox' });
    expect(await ask('/')).toMatchObject({
      status: 302,
      headers: { location: `./?folder=${place.workspace}` },
    });
    expect((await ask('/proxy/1/')).status).toBe(403);
    expect((await call(server.address, 'GET', '/ports')).json).toEqual({ ports: [] });
  });

  test('shows the workspace of the agent, and both see what the other does', async () => {
    const { place, server } = await startSandbox();
    writeFileSync(join(place.workspace, 'hello.txt'), 'from the agent\n');
    await startEditor(server);
    const workbench = await visit(place);
    await workbench.openFile('hello.txt');
    expect(await workbench.text()).toContain('from the agent');

    await workbench.replaceAndSave('from the person\n');
    const read = await server.act('until grep person hello.txt; do sleep 0.02; done');
    expect(read.json.content).toBe('from the person');

    await untilShown(workbench.page.locator('.view-line', { hasText: 'and again' }).first(), () =>
      server.act('echo and again >>hello.txt'),
    );
    await server.act('echo later >later.txt');
    await workbench.file('later.txt').waitFor();

    await workbench.openTerminal();
    const said = await workbench.type('echo "$PWD $APP_PORT_1 $((6 * 7))"; id >typed.txt', / 42$/m);
    expect(said).toContain(`${place.workspace} 4000 42`);
    await workbench.file('typed.txt').waitFor();
    expect(existsSync(join(place.workspace, 'typed.txt'))).toBe(true);
    await keepScreenshot(workbench.page, 'workbench');
  });

  test('is found again by a page after it was killed, and leaves nothing when it ends', async () => {
    const { place, server } = await startSandbox();
    writeFileSync(join(place.workspace, 'hello.txt'), '');
    await server.act('true');
    const before = processesWith(place.home);
    await startEditor(server);
    const workbench = await visit(place);
    // The first of its processes has it among its arguments.
    const [first] = pidsWith(`--socket=${place.socket}`);
    process.kill(first!, 'SIGKILL');
    await untilEditor(server, 'stopped');
    await startEditor(server);
    await workbench.page.reload();
    await workbench.ready();
    await workbench.openTerminal();
    await workbench.type('(setsid sleep 1000 &); echo done', /^done$/m);
    expect(processesWith(place.home).length).toBeGreaterThan(before.length + 4);
    await askEditor(server, 'DELETE');
    expect(processesWith(place.home)).toEqual(before);
  });

  async function startSandbox(args: string[] = []): Promise<{ place: EditorPlace; server: SandboxProcess }> {
    const place = await editorPlace();
    const FAIRLEAD_EDITOR = JSON.stringify({ kind: 'code-server', command: codeServer.command });
    const FAIRLEAD_SHELL_ENV = JSON.stringify({ APP_PORT_1: '4000' });
    return { place, server: await place.start({ args, env: { FAIRLEAD_EDITOR, FAIRLEAD_SHELL_ENV } }) };
  }

  async function visit(place: EditorPlace): Promise<Workbench> {
    const door = await openDoor(place.socket);
    onTestFinished(() => door.close());
    return Workbench.open(await chromium.newPage(), `${door.url}/`);
  }
});

function pidsWith(argument: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => argumentsOf(pid).includes(argument));
}

function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
