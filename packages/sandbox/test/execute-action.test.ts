import { describe, expect, test } from 'vitest';
import { run, startTestServer } from './support/test-server.ts';

describe('execute_action', () => {
  test('answers with the observation and the id of the action', async () => {
    const { act } = await startTestServer();
    const { status, json, headers } = await act({
      ...run('echo hi'),
      timeout: 120,
      message: 'Running',
      id: 7,
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({ observation: 'run', extras: { command: 'echo hi' }, success: true });
    expect(headers['x-action-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    ['', 'body: Field required'],
    ['{"action": {"action": "run"', 'at character 27'],
    ['{"action": }', 'found "}" at character 11'],
    ['{"action": {}} trailing', 'found "t" at character 15'],
    ["{'action': 1}", 'found "\'" at character 1'],
    ['[1, 2', 'the text ends at character 5'],
    ['[]', 'expected object'],
    ['{}', 'action: '],
    ['{"action": "run"}', 'action: '],
    ['{"action": null}', 'action: '],
  ])('body %j is refused with 422', async (body, message) => {
    const { post, executor } = await startTestServer();
    const { status, json } = await post('/execute_action', body);
    expect([status, json.detail]).toEqual([422, 'Invalid request parameters']);
    expect(json.errors).toContain(message);
    expect(executor.executed).toEqual([]);
  });

  test.each([
    [{ foo: 1 }, 'no "action" field'],
    [{ observation: 'run', content: '' }, 'no "action" field'],
    [{ action: 'run' }, 'args.command'],
    [{ action: 'run', args: { command: 5 } }, 'args.command'],
    [{ action: 'run', args: { command: 'x', bogus: 1 } }, 'bogus'],
    [{ action: 'run', args: [] }, 'args'],
    [{ action: 'run', args: { command: 'x' }, timeout: -1 }, 'timeout'],
    [{ action: 'run', args: { command: 'x' }, shell: '../x' }, 'shell'],
    [{ action: 3 }, 'action'],
  ])('event %j is refused with 400 and nothing is executed', async (event, field) => {
    const { act, executor } = await startTestServer();
    const { status, json } = await act(event);
    expect(status).toBe(400);
    expect(json.detail).toContain(field);
    expect(executor.executed).toEqual([]);
  });

  test.each(['nope', 'message', 'think', 'call_tool_mcp', '__proto__', 'toString'])(
    'an action no runtime has (%s) is an error observation, because a failure status stops the agent',
    async (action) => {
      const { act, executor } = await startTestServer();
      const { status, json } = await act({ action, args: {} });
      expect([status, json.observation, json.extras]).toEqual([200, 'error', { error_id: '' }]);
      expect(json.content).toContain('Available actions: run, read');
      expect(executor.executed).toEqual([]);
    },
  );

  test('a body that is not UTF-8 is refused', async () => {
    const { server } = await startTestServer();
    const { call } = await import('./support/test-server.ts');
    const answer = await call(server.port, 'POST', '/execute_action', Buffer.from([0x7b, 0xff, 0x7d]));
    expect([answer.status, answer.json.errors]).toEqual([422, expect.stringContaining('UTF-8')]);
  });

  test('an executor that fails is an error observation, for hidden commands one that the client can decode', async () => {
    const { act, logged } = await startTestServer();
    expect((await act(run('fail'))).json).toMatchObject({
      observation: 'error',
      content: expect.stringContaining('scripted failure'),
    });
    expect((await act(run('fail', { hidden: true }))).json).toMatchObject({
      observation: 'run',
      extras: { hidden: true, metadata: { exit_code: -1 } },
    });
    expect(logged).toHaveLength(2);
  });

  test('requests do not wait behind each other', async () => {
    const { act, executor } = await startTestServer();
    const held = act(run('hold'));
    expect((await act(run('meanwhile'))).json.content).toBe('meanwhile');
    executor.release();
    expect((await held).json.content).toBe('released');
  });

  test('a client that leaves does not stop its action', async () => {
    const { server, executor, get } = await startTestServer();
    const abort = new AbortController();
    const body = JSON.stringify({ action: run('hold') });
    const left = fetch(`${server.url}/execute_action`, { method: 'POST', body, signal: abort.signal });
    await expect.poll(() => executor.executed).toEqual(['hold']);
    abort.abort();
    await expect(left).rejects.toThrow();
    expect((await get('/actions')).json.actions).toHaveLength(1);
    executor.release();
    await expect.poll(async () => (await get('/actions')).json.actions).toEqual([]);
  });
});

describe('actions that run', () => {
  test('are listed and can be cancelled by id', async () => {
    const { act, get, post, executor } = await startTestServer();
    const held = act(run('hold'), { 'x-action-id': 'my.action-1' });
    await expect.poll(() => executor.executed).toEqual(['hold']);
    expect((await get('/actions')).json.actions).toEqual([
      { actionId: 'my.action-1', action: 'run', shell: 'main', startedAt: expect.any(String) },
    ]);
    expect((await post('/actions/my.action-1/cancel', '')).status).toBe(202);
    const { json, headers } = await held;
    expect([json.content, headers['x-action-id']]).toEqual(['cancelled', 'my.action-1']);
    const late = await post('/actions/my.action-1/cancel', '');
    expect(late).toMatchObject({ status: 404, json: { detail: expect.stringContaining('my.action-1') } });
  });

  test('an id belongs to one action', async () => {
    const { act, executor } = await startTestServer();
    const chosen = { 'x-action-id': 'one' };
    await act(run('first'), chosen);
    expect(await act(run('second'), chosen)).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining('"one"') },
    });
    expect(executor.executed).toEqual(['first']);
    expect((await act(run('x'), { 'x-action-id': 'a b' })).status).toBe(400);
  });
});
