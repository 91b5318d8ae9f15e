import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { until } from './support/fairlead.ts';
import { useServedGateway } from './support/gateway.ts';

const browserFile = fileURLToPath(new URL('support/browser.mjs', import.meta.url));

interface Visit {
  called: string;
  stranger?: string;
  url: string;
  status: number;
  body: string;
}

describe('what browsers see of a session', { tags: ['bwrap', 'python3'], timeout: 60_000 }, () => {
  const gateway = useServedGateway();
  let visits = 0;

  /** A session whose first app says hello. */
  async function sessionWithApp(): Promise<string> {
    const id = await gateway.session();
    await startApp(id);
    return id;
  }

  async function startApp(id: string): Promise<void> {
    const { fairlead } = gateway;
    const command =
      'echo hello >index.html; python3 -u -m http.server --bind 127.0.0.1 $APP_PORT_1 >log 2>&1 & ' +
      'until grep -q Serving log; do sleep 0.1; done';
    await fairlead.ask('run', id, '--state-dir', fairlead.stateDir, '--', command);
  }

  /** What a browser sees that `fairlead open` was given. */
  async function open(args: string[], ...browserOptions: string[]): Promise<Visit> {
    const { fairlead } = gateway;
    visits += 1;
    const file = join(fairlead.home, `visit-${visits}`);
    const BROWSER = [process.execPath, browserFile, file, ...browserOptions].join(' ');
    const { code, stdout } = await fairlead.start(['open', ...args], { BROWSER }).ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    await until(() => existsSync(file));
    return JSON.parse(readFileSync(file, 'utf8')) as Visit;
  }

  it('is shown by open: the browser ends at the clean address, and its command line has no ticket', async () => {
    const id = await sessionWithApp();
    const { called, url, status, body } = await open([id, '--app', '1']);
    expect(called).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    expect({ status, body }).toEqual({ status: 200, body: 'hello\n' });
    expect(url).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:\\d+/apps/${id}-1/$`));
    const [{ port }] = await gateway.fairlead.json<[{ port: number }]>('ports', id);
    expect(await open([id, '--port', String(port)])).toMatchObject({ status: 200, body: 'hello\n' });
  });

  it.runIf(process.getuid?.() === 0)(
    'is not shown to another user of the machine who is faster',
    async () => {
      const id = await sessionWithApp();
      expect(await open([id, '--app', '1'], '--stranger')).toMatchObject({ stranger: '403', status: 200 });
    },
  );

  it('is printed where there is no screen, as a link that works once', async () => {
    const id = await sessionWithApp();
    const { stdout, stderr } = await gateway.fairlead.run('open', id, '--app', '1');
    expect(stderr).toContain('works once, and within 30 s');
    const visit = () => fetch(stdout.trim(), { redirect: 'manual' });
    expect([(await visit()).status, (await visit()).status]).toEqual([303, 401]);
    const { url, expiresAt } = await gateway.fairlead.json<{ url: string; expiresAt: string }>('open', id);
    expect(url).toContain(`/vscode/${id}/?`);
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now());
  });

  it('says so when the browser cannot be started', async () => {
    const id = await gateway.session();
    const failed = await gateway.fairlead.start(['open', id], { BROWSER: '/missing' }).ended;
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toContain(
      `Cannot start your browser: spawn /missing ENOENT. "fairlead open ${id} --print"`,
    );
  });

  it('says so when the browser gives up', async () => {
    const id = await gateway.session();
    const failed = await gateway.fairlead.start(['open', id], { BROWSER: 'false' }).ended;
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toContain('Cannot start your browser: false ended with 1.');
  });

  it('can be shared: one app, for a while, as often as one likes', async () => {
    const id = await sessionWithApp();
    const { stdout, stderr } = await gateway.fairlead.run('share', id, '--app', '1', '--for', '10m');
    expect(stderr).toContain(`can use app 1 of ${id}, and nothing else, until `);
    for (let count = 0; count < 2; count += 1) {
      expect((await fetch(stdout.trim(), { redirect: 'manual' })).status).toBe(303);
    }
  });

  it.each([
    [['share', '--app', '1', '--for', '31d'], 2, 'A link works for 30d at most'],
    [['share', '--port', '99999'], 2, 'Use a number from 1 to 65535.'],
    [['open', '--port', '0'], 2, 'Use a number from 1 to 65535.'],
    [['open', '--app', '0'], 2, 'Apps are counted from 1'],
    [['share', '--app', '9'], 4, 'The session has no app 9; it has 2'],
  ])('is not found with %j, and why is said', async ([command = '', ...options], code, words) => {
    const id = await gateway.session();
    const failed = await gateway.fairlead.run(command, id, ...options);
    expect(failed).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(words) });
    expect(failed.stderr).not.toContain('number:');
  });

  it('is listed by ports, with what listens there, and watched as it changes', async () => {
    const { fairlead } = gateway;
    const id = await gateway.session();
    expect(await fairlead.ask('ports', id)).toMatch(
      new RegExp(`^PORT .*\\n\\d+ +1 +nothing listens +http://.*/apps/${id}-1/\\n\\d+ +2 +nothing`),
    );
    const watching = fairlead.start(['ports', id, '--watch']);
    await watching.says('nothing listens');
    await startApp(id);
    await watching.says(/\n\+ \d+ {2}python3 -u -m http\.server .*\/apps\/\w+-1\/\n/);
    await fairlead.ask('run', id, '--state-dir', fairlead.stateDir, '--', 'kill %1; wait');
    await watching.says(/\n- \d+\n/);
    watching.child.kill('SIGINT');
    expect(await watching.ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('stands in what is told about a session', async () => {
    const id = await gateway.session();
    const shown = await gateway.fairlead.ask('session', 'show', id);
    expect(shown).toMatch(
      new RegExp(`web VS Code +http://.*/vscode/${id}/\\napp 1 +http://.*/apps/${id}-1/ \\(port \\d+\\)`),
    );
  });
});
