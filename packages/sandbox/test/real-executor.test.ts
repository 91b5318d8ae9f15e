import { openExecutor, type Executor } from '@fairlead/executor';
import { realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run, startTestServerOn, temporaryDirectory, type TestServer } from './support/test-server.ts';

describe('on a real shell', () => {
  test('an agent works: state, files relative to the shell, the editor', async () => {
    const { act, workspace } = await startReal();
    await act(run('mkdir sub && cd sub && export NAME=value'));
    expect((await act(run('echo $NAME; pwd'))).json.content).toBe(`value\n${workspace}/sub`);
    expect((await act({ action: 'write', args: { path: 'f.txt', content: 'text' } })).json).toMatchObject({
      observation: 'write',
      extras: { path: `${workspace}/sub/f.txt` },
    });
    expect((await act({ action: 'read', args: { path: 'f.txt' } })).json.content).toBe('text\n');
    const edit = {
      command: 'str_replace',
      path: `${workspace}/sub/f.txt`,
      old_str: 'text',
      new_str: 'other',
    };
    expect((await act({ action: 'edit', args: edit })).json.extras.diff).toContain('+other');
    expect((await act(run('cat f.txt; exit 3'))).status).toBe(200);
    expect((await act(run('echo still here'))).json.content).toBe('still here');
  });

  test.each([
    { action: 'run_ipython', args: { code: 'import os\nos.environ["A"] = "1"' } },
    { action: 'browse', args: { url: 'http://localhost' } },
    { action: 'browse_interactive', args: { browser_actions: 'noop()' } },
    { action: 'edit', args: { path: '/tmp/x', impl_source: 'llm_based_edit', content: 'x' } },
  ])('what is not supported is said in an observation: $action', async (event) => {
    const { act } = await startReal();
    const { status, json } = await act(event);
    expect(status).toBe(200);
    expect(['error', 'edit']).toContain(json.observation);
    expect(json.content).not.toBe('');
  });

  test('live output is on the stream before the command ends', async () => {
    const { act, watch, workspace } = await startReal();
    const watcher = watch('/events');
    await watcher.open();
    const running = act(run('echo first; until [ -e go ]; do sleep 0.02; done; echo second'), {
      'x-action-id': 'live',
    });
    const output = () => {
      const mine = watcher.events.filter(({ type, actionId }) => type === 'output' && actionId === 'live');
      return mine.map(({ data }) => data).join('');
    };
    await watcher.until(() => output().includes('first'));
    expect(watcher.events.some(({ type }) => type === 'observation')).toBe(false);
    await writeFile(join(workspace, 'go'), '');
    expect((await running).json.content).toBe('first\nsecond');
    await watcher.until(({ events }) => events.some(({ type }) => type === 'observation'));
    expect(output()).toMatch(/^first\r?\nsecond\r?\n$/);
  });

  test('an action is cancelled and the shell goes on', async () => {
    const { act, post, get } = await startReal();
    const running = act(
      { ...run('echo started; sleep 300', { blocking: true }), timeout: 60 },
      { 'x-action-id': 'long' },
    );
    await expect.poll(async () => (await get('/actions')).json.actions.length).toBe(1);
    expect((await post('/actions/long/cancel', '')).status).toBe(202);
    expect((await running).status).toBe(200);
    expect((await act(run('echo usable'))).json.content).toBe('usable');
  });

  test('a person types into the shell of the agent, resizes it and leaves', async () => {
    const { act, watch, executor } = await startReal();
    await act(run('seen=by-agent'));
    const { size } = await executor.shells.open('main');
    const viewer = watch('/shells/main/terminal?cols=91&rows=33');
    await viewer.open();
    viewer.socket.send(JSON.stringify({ type: 'input', data: 'echo $seen; stty size\r' }));
    await viewer.until(({ bytes }) => /by-agent\r\n33 91\r\n/.test(bytes.toString()));
    viewer.socket.close();
    await viewer.closed;
    await expect
      .poll(async () => (await act(run('stty size'))).json.content)
      .toBe(`${size.rows} ${size.cols}`);
  });

  test('shells have names and ends', async () => {
    const { act, get, server } = await startReal();
    await act({ ...run('v=build'), shell: 'build' });
    expect((await act({ ...run('echo $v'), shell: 'build' })).json.content).toBe('build');
    expect((await act(run('echo "[$v]"'))).json.content).toBe('[]');
    const names = async () => (await get('/shells')).json.shells.map(({ name }: { name: string }) => name);
    expect(await names()).toEqual(['main', 'build']);
    expect((await fetch(`${server.url}/shells/build`, { method: 'DELETE' })).status).toBe(200);
    expect(await names()).toEqual(['main']);
    expect((await act({ ...run('echo "[$v]"'), shell: 'build' })).json.content).toBe('[]');
  });
});

async function startReal(): Promise<TestServer<Executor>> {
  const workspace = await realpath(await temporaryDirectory());
  const sessionDir = await temporaryDirectory();
  const env = { PATH: process.env['PATH'] ?? '', HOME: workspace };
  const executor = await openExecutor({
    workspace,
    sessionDir,
    terminal: 'pty',
    noChangeTimeoutSeconds: 10,
    env,
  });
  return startTestServerOn(executor, { workspace, sessionDir });
}
