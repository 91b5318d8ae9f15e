import { beforeEach, describe, expect, test, vi } from 'vitest';
import { cookieOf, navigation, pathOf, type Stage, startStage } from './support/web-stage.ts';

let stage: Stage;

beforeEach(async () => {
  stage = await startStage();
});

async function runtimeUrl(): Promise<string> {
  const { json } = await stage.get(`/runtime/${stage.mine.session.id}`, stage.mine.headers);
  return json.url as string;
}

async function tokenFrom(url: string): Promise<string> {
  const { json } = await stage.get(pathOf(`${url}/vscode/connection_token`), stage.mine.sessionHeaders);
  return json.token as string;
}

describe("OpenHands' remote runtime", () => {
  test('is found by an address that begins with its id, which its client needs to look for an editor', async () => {
    const url = await runtimeUrl();
    expect(new URL(url).pathname).toBe(`/${stage.mine.session.id}`);
    const body = { action: 'run', args: { command: 'true' } };
    const headers = stage.mine.sessionHeaders;
    const ran = await stage.send('POST', pathOf(`${url}/execute_action`), {
      headers,
      body: { action: body },
    });
    expect(ran.status).toBe(200);
    expect(
      (await stage.send('POST', pathOf(`${url}/execute_action`), { body: { action: body } })).status,
    ).toBe(403);
    expect(await stage.gateway.watch(pathOf(`${url}/events`), headers).refusal).toBeUndefined();
  });

  test.each(['/vscode', '/vscode/'])('has its editor at %s, with the token that it tells', async (path) => {
    const url = await runtimeUrl();
    const token = await tokenFrom(url);
    for (const key of Object.values({ ...stage.mine.headers, ...stage.mine.sessionHeaders })) {
      expect(key).not.toContain(token);
    }
    for (const base of [url, `${stage.gateway.server.url}/runtimes/${stage.mine.session.id}`]) {
      const first = await stage.go(pathOf(`${base}${path}?tkn=${token}&folder=/workspace`));
      expect(first.status).toBe(303);
      expect(first.headers['referrer-policy']).toBe('no-referrer');
      expect(first.headers.location).not.toContain(token);
      const second = await stage.go(pathOf(first.headers.location!));
      expect(second.headers.location).toBe(stage.vscode);
      expect((await stage.go(stage.vscode, { cookie: cookieOf(second) })).text).toBe('reached GET /');
    }
  });

  test('has its apps beside it', async () => {
    const { headers } = await stage.go(pathOf(`${await runtimeUrl()}/work-1/`));
    expect(headers.location).toBe(`${stage.gateway.server.url}${stage.app}`);
  });

  test('has a token for its own editor, and for nothing else', async () => {
    const token = await tokenFrom(await runtimeUrl());
    expect((await stage.go(`/${stage.other.session.id}/vscode?tkn=${token}`)).status).toBe(401);
    expect((await stage.go(`${stage.vscode}?fairlead-ticket=${token}`)).status).toBe(401);
    const { id } = stage.mine.session;
    expect((await stage.get(stage.vscode, { cookie: `fairlead-${id}=${token}` })).status).toBe(401);
    expect((await stage.get('/api/me', { authorization: `Bearer ${token}` })).status).toBe(401);
    const key = stage.mine.sessionHeaders['x-session-api-key']!;
    for (const wrong of [key, 'made-up', '']) {
      expect((await stage.go(`/${id}/vscode?tkn=${wrong}`)).status).toBe(401);
    }
  });

  test.each(['', '/runtimes'])('says below %j/ that a token does not work any more', async (base) => {
    const { status, text } = await stage.go(`${base}/${stage.mine.session.id}/vscode?tkn=bad`);
    expect([status, text]).toEqual([401, expect.stringContaining('This link does not work any more')]);
    expect(text).not.toContain('Invalid API Key');
  });

  test('has a token that ends after ten minutes', async () => {
    const token = await tokenFrom(await runtimeUrl());
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      vi.setSystemTime(Date.now() + 601_000);
      expect((await stage.go(`/${stage.mine.session.id}/vscode?tkn=${token}`)).status).toBe(401);
    } finally {
      vi.useRealTimers();
    }
  });

  test('is told that there is no editor', async () => {
    stage.editor.state = 'missing';
    expect(await tokenFrom(await runtimeUrl())).toBeNull();
  });

  test('leads a person without a token to the editor, who has to show something there', async () => {
    const answer = await stage.get(`/${stage.mine.session.id}/vscode`, navigation);
    expect([answer.status, answer.headers.location]).toEqual([
      303,
      `${stage.gateway.server.url}${stage.vscode}`,
    ]);
  });
});
