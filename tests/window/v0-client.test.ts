import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Caller } from '../gateway/support/caller.ts';
import type { VscodeWindow } from './support/vscode-window.ts';
import { useWindows, windowNeeds } from './support/windows.ts';

/** What OpenHands' RemoteRuntime sends, but for the image, which its configuration names. */
const startRequest = {
  image: 'fairlead/window',
  command: ['/openhands/micromamba/bin/micromamba', 'run', '-n', 'openhands', 'poetry', 'run', 'python'],
  working_dir: '/openhands/code/',
  environment: { DEBUG: 'true' },
  session_id: '0f5a8c27e9',
  resource_factor: 1,
};

const allowing = { 'fairlead.consent.run': 'allow', 'fairlead.consent.edit': 'allow' };

describe('a stock OpenHands client in a window', windowNeeds, () => {
  const windows = useWindows({ settings: allowing });
  let owner: Caller;
  let window: VscodeWindow;
  let id: string;
  let key: string;
  beforeAll(async () => {
    ({ owner } = await windows.place.start());
    window = await windows.open({ files: { 'notes.txt': 'one\ntwo\n' }, until: 'suite' });
    await window.connect(owner);
  }, windowNeeds.timeout);

  test('starts its runtime, waits until it is ready, and finds it alive', async () => {
    const { status, json } = await owner.call('POST', '/start', startRequest);
    expect(status).toBe(201);
    expect(json).toMatchObject({
      session_id: startRequest.session_id,
      status: 'running',
      pod_status: 'ready',
    });
    id = json.runtime_id as string;
    key = json.session_api_key as string;
    expect((await send('GET', 'alive')).status).toBe(200);
    expect((await send('GET', 'server_info')).status).toBe(200);
  });

  test('runs commands', async () => {
    expect(await act('run', { command: 'cd . && pwd' })).toMatchObject({
      observation: 'run',
      content: window.path,
      extras: { metadata: { exit_code: 0, working_dir: window.path } },
    });
    expect(await act('run', { command: 'exit 3', hidden: true })).toMatchObject({ observation: 'run' });
    expect(await act('run', { command: 'false' })).toMatchObject({
      extras: { metadata: { exit_code: 1 } },
    });
  });

  test('reads, writes and edits files, which the person sees', async () => {
    expect(await act('read', { path: 'notes.txt' })).toMatchObject({
      observation: 'read',
      content: expect.stringContaining('two'),
    });
    expect(await act('write', { path: join(window.path, 'new.txt'), content: 'hello' })).toMatchObject({
      observation: 'write',
    });
    expect(readFileSync(join(window.path, 'new.txt'), 'utf8')).toBe('hello\n');
    expect(
      await act('edit', {
        path: join(window.path, 'notes.txt'),
        command: 'str_replace',
        old_str: 'two',
        new_str: 'three',
        impl_source: 'oh_aci',
      }),
    ).toMatchObject({ observation: 'edit', content: expect.stringContaining('three') });
    expect(readFileSync(join(window.path, 'notes.txt'), 'utf8')).toBe('one\nthree\n');
    await window.workbench.file('new.txt').waitFor();
  });

  test('lists files', async () => {
    const { status, text } = await send('POST', 'list_files', {});
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual(expect.arrayContaining(['README.md', 'new.txt', 'notes.txt']));
  });

  test('gets told what a window has not, in the form that it knows', async () => {
    expect(await act('browse', { url: 'http://127.0.0.1/' })).toMatchObject({ observation: 'error' });
    const { status, text } = await owner.call('POST', '/pause', { runtime_id: id });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).toMatch(/window/);
  });

  test('stops its runtime, and the window is free again', async () => {
    const { status, json } = await owner.call('POST', '/stop', { runtime_id: id });
    expect([status, json.status]).toEqual([200, 'stopped']);
    expect((await window.connected(owner)).sessions).toEqual([]);
  });

  function send(method: string, path: string, body?: unknown): Promise<Answer> {
    return owner.call(method, `/runtimes/${id}/${path}`, body, { 'x-session-api-key': key });
  }

  async function act(action: string, args: object): Promise<Record<string, unknown>> {
    const { status, json } = await send('POST', 'execute_action', { action: { action, args, timeout: 60 } });
    expect(status).toBe(200);
    return json;
  }
});
