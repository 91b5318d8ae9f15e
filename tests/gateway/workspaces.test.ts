import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { processesOf } from '../drivers/support/processes.ts';
import type { Caller } from './support/caller.ts';
import { GitServer } from './support/git-server.ts';
import { needs } from './support/needs.ts';
import { usePlace } from './support/place.ts';
import { until } from './support/wait.ts';

describe('a folder as the workspace', needs, () => {
  const place = usePlace();
  let outside: string;
  let shared: string;
  let secret: string;
  let operator: Caller;
  let tenant: Caller;
  beforeAll(async () => {
    outside = mkdtempSync(join(tmpdir(), 'fg-folders-'));
    shared = join(outside, 'shared');
    secret = join(outside, 'secret');
    for (const path of [join(shared, 'project'), secret]) mkdirSync(path, { recursive: true });
    symlinkSync(secret, join(shared, 'link'));
    symlinkSync(join(shared, 'project'), join(outside, 'way-in'));
    ({ owner: operator } = await place.start({ allowedFolders: [shared] }));
    tenant = operator.with(await place.addTenant('tenant'));
  });
  afterAll(() => rmSync(outside, { recursive: true, force: true }));

  const mount = (caller: Caller, path: string) => caller.tryCreate({ workspace: { kind: 'folder', path } });

  test('is used where it is, and stays when the session is deleted', async () => {
    writeFileSync(join(secret, 'before'), 'from outside\n');
    const { id } = await operator.create({ workspace: { kind: 'folder', path: secret } });
    expect(await operator.run(id, 'cat before; echo inside > after')).toMatchObject({
      content: 'from outside',
    });
    await operator.change(id, 'stop');
    await operator.change(id, 'resume');
    expect(await operator.run(id, 'cat after')).toMatchObject({ content: 'inside' });
    await operator.remove(id);
    expect(readFileSync(join(secret, 'after'), 'utf8')).toBe('inside\n');
    expect(existsSync(place.directoryOf(id))).toBe(false);
  });

  test('may be any for an operator, by its real path', async () => {
    const { status, json } = await mount(operator, join(outside, 'way-in'));
    expect(status).toBe(201);
    expect(json['workspace']).toEqual({ kind: 'folder', path: join(shared, 'project') });
    const missing = await mount(operator, join(outside, 'nothing'));
    expect(missing.status).toBe(400);
    expect(missing.json['detail']).toBe(
      `${join(outside, 'nothing')} is not a folder of the gateway's machine`,
    );
  });

  test('must be below an allowed one for everybody else, wherever links lead', async () => {
    expect((await mount(tenant, join(shared, 'project'))).status).toBe(201);
    const refused = [
      secret,
      join(shared, 'link'),
      join(shared, '..', 'secret'),
      // Whether these exist is not told.
      join(shared, 'link', 'nothing'),
      join(shared, 'nothing'),
      join(outside, 'nothing'),
    ];
    for (const path of refused) {
      const { status, json } = await mount(tenant, path);
      expect(status, path).toBe(403);
      expect(json['detail']).toBe(
        `The folder ${path} may not be mounted; ask the operator to start the gateway with --allow-folder`,
      );
    }
    expect(await tenant.sessions()).toHaveLength(1);
  });

  test("is never the gateway's own, nor one around it, nor one in it", async () => {
    symlinkSync(place.stateDir, join(outside, 'state'));
    for (const path of [
      place.stateDir,
      tmpdir(),
      '/',
      join(outside, 'state'),
      join(place.stateDir, 'sessions'),
    ]) {
      const { status, json } = await mount(operator, path);
      expect(status, path).toBe(403);
      expect(json['detail']).toMatch(/the gateway's own files are in it, or it is among them/);
    }
  });

  test('is looked at again when a session goes on: a link in its place is refused', async () => {
    const folder = join(shared, 'replaced');
    mkdirSync(folder);
    const { id } = await tenant.create({ workspace: { kind: 'folder', path: folder } });
    await tenant.change(id, 'stop');
    renameSync(folder, `${folder}.away`);
    symlinkSync(place.stateDir, folder);
    const { status } = await tenant.call('POST', `/api/sessions/${id}/resume`);
    expect(status).toBe(502);
    expect(await tenant.session(id)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining(`The folder ${folder} may not be mounted`),
    });
    expect(processesOf(id)).toEqual([]);

    unlinkSync(folder);
    expect((await tenant.call('POST', `/api/sessions/${id}/resume`)).status).toBe(502);
    expect(existsSync(folder)).toBe(false);
    renameSync(`${folder}.away`, folder);
    expect(await tenant.change(id, 'resume')).toMatchObject({ state: 'running' });
  });
});

describe('a repository as the workspace', { ...needs, tags: [...needs.tags, 'git'] }, () => {
  const place = usePlace();
  let owner: Caller;
  let server: GitServer;
  beforeAll(async () => {
    ({ owner } = await place.start());
    server = await GitServer.start();
  });
  afterAll(() => server.close());

  test('is cloned once, at the branch that was asked for', async () => {
    const url = `${server.url}/repository.git`;
    const { id } = await owner.create({ workspace: { kind: 'git', url, ref: 'other' } });
    expect(await owner.run(id, 'cat file; git branch --show-current; echo changed > file')).toMatchObject({
      content: 'from other\nother',
    });
    const asked = server.asked.length;
    await owner.change(id, 'stop');
    // Records of its first start may be gone by then.
    await place.useStore((store) => store.journal.removeBefore(new Date().toISOString()));
    await owner.change(id, 'resume');
    expect(await owner.run(id, 'cat file')).toMatchObject({ content: 'changed' });
    expect(server.asked).toHaveLength(asked);
  });

  test("that cannot be cloned leaves a failed session with git's reason, and no password in it", async () => {
    const url = server.url.replace('//', '//me:s3cret@') + '/nothing.git';
    const { status, json } = await owner.tryCreate({
      workspace: { kind: 'git', url },
      labels: { clone: 'bad' },
    });
    expect(status).toBe(502);
    expect(json['detail']).toMatch(/could not be started: git could not clone .*repository .*not found/);
    expect(json['detail']).not.toContain('s3cret');
    const [session] = await owner.sessions('?label=clone=bad');
    expect(session).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/git could not clone the repository: .*not found/),
    });
    expect(processesOf(session!.id)).toEqual([]);
  });

  test('is cloned with the password in its address, which nobody sees afterwards', async () => {
    const [name, password] = server.credential.split(':') as [string, string];
    const encoded = encodeURIComponent(password);
    const url = server.url.replace('//', `//${name}:${encoded}@`) + '/private.git';
    const created = await owner.tryCreate({ workspace: { kind: 'git', url } });
    expect(created.status).toBe(201);
    expect(created.json['workspace']).toEqual({ kind: 'git', url: `${server.url}/private.git` });
    const id = String(created.json['id']);
    expect(await owner.run(id, 'cat file; git remote get-url origin; ls -A1; git status -s')).toMatchObject({
      content: `from main\n${server.url}/private.git\n.git\nfile`,
    });
    expect(new Set(server.credentials)).toEqual(new Set(['', server.credential]));
    const shown = await owner.call('GET', `/api/sessions/${id}`);
    const told = [created.text, shown.text, JSON.stringify(await owner.journal(id))];
    // What the sandbox has written about itself, its history and its environment.
    const files = await owner.run(id, 'history; env; cat -- /proc/[0-9]*/cmdline /proc/[0-9]*/environ');
    // While git waited for the repository.
    expect(server.commandLines.join()).toContain('clone -q');
    for (const secret of [password, encoded])
      expect([...told, files.content, ...server.commandLines].join()).not.toContain(secret);
    const found = spawnSync('grep', ['-rlaF', '-e', password, '-e', encoded, place.directoryOf(id)]);
    expect([found.status, String(found.stdout)]).toEqual([1, '']);
  });

  test('may be cloned when the session is resumed, over what a cut-off attempt has left', async () => {
    const { id, url } = await failedClone();
    writeFileSync(join(place.workspaceOf(id), '.left-over'), '');
    // The address is good now.
    await place.useStore((store) => store.sessions.update(id, { workspace: { kind: 'git', url } }));
    await owner.change(id, 'resume');
    expect(await owner.run(id, 'ls -A1')).toMatchObject({ content: '.git\nfile' });

    async function failedClone(): Promise<{ id: string; url: string }> {
      const bad = { kind: 'git', url: `${server.url}/later.git` } as const;
      await owner.tryCreate({ workspace: bad, labels: { clone: 'later' } });
      const [session] = await owner.sessions('?label=clone=later');
      return { id: session!.id, url: `${server.url}/repository.git` };
    }
  });

  test('does not keep a session from being deleted while it is cloned', async () => {
    const url = `${server.url}/silent.git`;
    const creating = owner.tryCreate({ workspace: { kind: 'git', url }, labels: { clone: 'silent' } });
    await until(() => server.asked.some((path) => path.startsWith('/silent.git')), 'the clone');
    const [session] = await owner.sessions('?label=clone=silent');
    expect(session).toMatchObject({ state: 'starting' });
    await owner.remove(session!.id);
    const { status, json } = await creating;
    expect(status).toBe(409);
    expect(json['detail']).toMatch(/was ended while it was starting: it was deleted/);
    expect(processesOf(session!.id)).toEqual([]);
    expect(existsSync(place.directoryOf(session!.id))).toBe(false);
  });
});

describe('the environment of a session', needs, () => {
  const place = usePlace();
  let owner: Caller;
  beforeAll(async () => {
    ({ owner } = await place.start());
  });

  test('reaches every shell, and nothing of it the sandbox server', async () => {
    const env = {
      GREETING: 'a "b" $c\n\\d',
      NODE_OPTIONS: '--no-such-option',
      LD_PRELOAD: '/nonexistent.so',
      PATH: '/usr/bin:/bin:/extra',
    };
    const { id } = await owner.create({ env });
    const print = `printf '%s|' "$GREETING" "$NODE_OPTIONS" "$PATH"`;
    const printed = `${env.GREETING}|${env.NODE_OPTIONS}|${env.PATH}|`;
    expect(await owner.run(id, `unset LD_PRELOAD; ${print}`)).toMatchObject({
      content: printed,
      exitCode: 0,
    });
    expect(await owner.run(id, print, { shell: 'other' })).toMatchObject({
      content: expect.stringContaining(printed),
    });
  });

  test('is not told to anybody who looks at the session', async () => {
    const created = await owner.tryCreate({ env: { TOKEN: 's3cret' } });
    expect(created.status).toBe(201);
    const shown = await owner.call('GET', `/api/sessions/${String(created.json['id'])}`);
    const listed = await owner.call('GET', '/api/sessions');
    expect(created.text + shown.text + listed.text).not.toContain('s3cret');
  });

  test('is refused when it is larger than a process can have', async () => {
    const { status, json } = await owner.tryCreate({ env: { LONG: 'x'.repeat(200_000) } });
    expect(status).toBe(400);
    expect(json['detail']).toMatch(
      /The variables in "env" have 200011 bytes together, and a sandbox takes 120000/,
    );
    expect((await owner.tryCreate({ env: { LONG: 'x'.repeat(100_000) } })).status).toBe(201);
  });
});
