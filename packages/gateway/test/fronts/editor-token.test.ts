import type { EditorState } from '@fairlead/protocol';
import { expect, test } from 'vitest';
import { startWithSandbox } from './support/with-sandbox.ts';

const path = 'vscode/connection_token';

test('an OpenHands client gets a token that opens the editor, and nothing is started for it', async () => {
  const asked: string[] = [];
  const { call, base, sessionHeaders, session, sessions } = await startWithSandbox((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.end(JSON.stringify(editor('stopped')));
  });
  const { status, json } = await call('GET', `${base}/${path}`, { headers: sessionHeaders });
  expect([status, asked, sessions.touched]).toEqual([200, ['GET /editor'], [session.id]]);
  const token = json.token as string;
  expect(token).not.toContain(sessionHeaders['x-session-api-key']);

  const opened = await call('GET', `/${session.id}/vscode?tkn=${token}&folder=/workspace`);
  expect(opened.status).toBe(303);
  expect(opened.headers.location).toMatch(new RegExp(`/vscode/${session.id}/\\?fairlead-ticket=`));
  const api = { authorization: `Bearer ${token}` };
  expect((await call('GET', `/api/sessions/${session.id}`, { headers: api })).status).toBe(401);
});

test('there is no token where there is no editor', async () => {
  const { call, base, sessionHeaders } = await startWithSandbox((_request, response) => {
    response.end(JSON.stringify(editor('missing')));
  });
  const { json } = await call('GET', `${base}/${path}`, { headers: sessionHeaders });
  expect(json).toEqual({ token: null });
});

test.each([
  ['something else than JSON', 'no JSON', 502],
  ['an answer without an end', 'x'.repeat(1_000_000), 502],
])('%s is not passed on', async (_what, answer, expected) => {
  const { call, base, sessionHeaders } = await startWithSandbox((_request, response) => response.end(answer));
  const { status, json } = await call('GET', `${base}/${path}`, { headers: sessionHeaders });
  expect([status, json.detail]).toEqual([
    expected,
    expect.stringContaining('The sandbox did not answer /editor'),
  ]);
});

function editor(state: EditorState['state']): EditorState {
  return { state, product: null, version: null, detail: '', folder: '/workspace', token: null };
}
