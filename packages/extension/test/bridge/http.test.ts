import { expect, test } from 'vitest';
import { httpAddress, openBridge, post } from './support.ts';

const echo = (_type: string, params: Record<string, unknown>) => ({ told: params['message'] });

test('a request over HTTP is answered with the reply frame', async () => {
  const { bridge } = openBridge(echo);
  const { env } = await bridge.begin('a.sh');
  const body = JSON.stringify({ id: 5, type: 'vscode/showMessage', params: { message: 'hi' } });
  const answer = await post(`${httpAddress(env)}request`, body, {
    authorization: `Bearer ${env['FAIRLEAD_RUN_BRIDGE_TOKEN']}`,
  });
  expect(answer).toEqual({ status: 200, body: { id: 5, success: true, result: { told: 'hi' } } });
});

test('without the token, with a wrong one, with one in the query or from a page it is refused before its body counts', async () => {
  const { bridge, calls } = openBridge(echo);
  const { env } = await bridge.begin('a.sh');
  const url = `${httpAddress(env)}request`;
  const token = env['FAIRLEAD_RUN_BRIDGE_TOKEN']!;
  expect((await post(url, 'no json', {})).status).toBe(401);
  expect((await post(url, 'no json', { authorization: `Bearer ${token.slice(1)}0` })).status).toBe(401);
  expect((await post(`${url}?token=${token}`, 'no json', {})).status).toBe(401);
  const fromPage = { authorization: `Bearer ${token}`, origin: 'https://evil.example' };
  expect((await post(url, '{}', fromPage)).status).toBe(403);
  const bentHost = { authorization: `Bearer ${token}`, host: 'evil.example' };
  expect((await post(url, '{}', bentHost)).status).toBe(403);
  expect(calls).toEqual([]);
});

test('what is no JSON, no request, too long or no path of the bridge has the status of it', async () => {
  const { bridge } = openBridge(echo);
  const { env } = await bridge.begin('a.sh');
  const headers = { 'x-evolve-run-bridge-token': env['EVOLVE_RUN_BRIDGE_TOKEN']! };
  const url = httpAddress(env);
  expect(await post(`${url}request`, '{', headers)).toEqual({
    status: 400,
    body: { detail: 'Invalid JSON', error: 'Invalid JSON' },
  });
  expect((await post(`${url}request`, '{}', headers)).status).toBe(400);
  expect((await post(`${url}unheard`, '{}', headers)).status).toBe(404);
  expect((await post(`${url}request`, 'x'.repeat(9 * 1024 * 1024), headers)).status).toBe(413);
});

test('a question is answered by its resume token, with the codes that programs know', async () => {
  const answers = new Map<string, 'accepted' | 'answered-already' | 'does-not-fit'>([
    ['open', 'accepted'],
    ['done', 'answered-already'],
    ['other', 'does-not-fit'],
  ]);
  const seen: unknown[] = [];
  const { bridge } = openBridge(echo, {
    submit: (runId, questionId, result) => {
      seen.push([runId, questionId, result]);
      return { submitted: answers.get(questionId) ?? 'unknown', operationId: `op-${questionId}` };
    },
  });
  const run = await bridge.begin('a.sh');
  const url = `${httpAddress(run.env)}submit`;
  const headers = { 'x-evolve-token': run.env['EVOLVE_RUN_BRIDGE_TOKEN']! };
  const submit = async (resumeToken: string | undefined) =>
    (await post(url, JSON.stringify({ resumeToken, result: 'yes' }), headers)).status;
  expect(await post(url, '{"resumeToken": "open", "result": "yes"}', headers)).toEqual({
    status: 200,
    body: { ok: true, operationId: 'op-open' },
  });
  expect(seen).toEqual([[run.id, 'open', 'yes']]);
  expect(await submit('done')).toBe(409);
  expect(await submit('other')).toBe(400);
  expect(await submit('unheard')).toBe(404);
  expect(await submit(undefined)).toBe(400);
  const ofAnother = '{"resumeToken": "open", "sessionId": "another"}';
  expect((await post(url, ofAnother, headers)).status).toBe(401);
  expect((await post(`${url}?session=another`, '{}', headers)).status).toBe(401);
  expect(seen).toHaveLength(4);
});

test('the end of the program, told over HTTP, revokes its token', async () => {
  const { bridge, ended } = openBridge(echo);
  const run = await bridge.begin('a.sh');
  const keeper = await bridge.begin('b.sh');
  const headers = { authorization: `Bearer ${run.env['FAIRLEAD_RUN_BRIDGE_TOKEN']}` };
  const url = httpAddress(run.env);
  expect((await post(`${url}end`, '{"exitCode": 3}', headers)).status).toBe(200);
  await expect.poll(() => ended).toEqual([{ runId: run.id, exitCode: 3 }]);
  expect((await post(`${url}end`, '{}', headers)).status).toBe(401);
  keeper.end();
});
