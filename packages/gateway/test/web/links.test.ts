import { beforeEach, describe, expect, test, vi } from 'vitest';
import { cookieOf, pathOf, type Stage, startStage } from './support/web-stage.ts';

let stage: Stage;

beforeEach(async () => {
  stage = await startStage();
});

const tooLateMs = 31_000;

describe('a link to a place', () => {
  test('is exchanged for a cookie of that place once, and leaves a clean address', async () => {
    const link = await stage.link({ place: 'editor' });
    expect(link).toMatch(
      new RegExp(`^${stage.gateway.server.url}${stage.vscode}\\?fairlead-ticket=[\\w.-]+$`),
    );
    const answer = await stage.go(pathOf(link));
    expect([answer.status, answer.headers.location]).toEqual([303, stage.vscode]);
    expect(answer.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(
        new RegExp(`^fairlead-\\w{20}=[\\w.-]+; Path=${stage.vscode}; HttpOnly; SameSite=Lax; Max-Age=\\d+$`),
      ),
    ]);
    expect((await stage.go(stage.vscode, { cookie: cookieOf(answer) })).status).toBe(200);
    const again = await stage.go(pathOf(link));
    expect([again.status, again.headers['set-cookie']]).toEqual([401, undefined]);
    expect(again.text).toContain('does not work any more');
    expect(again.text).toContain(`fairlead open ${stage.mine.session.id}`);
    expect(stage.reached.map(({ url }) => url)).toEqual(['/']);
  });

  test('keeps the rest of its address as it was written', async () => {
    const ticket = new URL(await stage.link({ place: 'app', number: 1 })).searchParams.get('fairlead-ticket');
    const { headers } = await stage.go(`${stage.app}a%2Fb/?x=1&&y=%20&fairlead%2Dticket=${ticket}&z`);
    expect(headers.location).toBe(`${stage.app}a%2Fb/?x=1&&y=%20&z`);
  });

  test('is not used up by those who only look at it, nor passed on', async () => {
    const path = pathOf(await stage.link({ place: 'app', number: 1 }));
    expect((await stage.send('HEAD', path)).status).toBe(200);
    expect((await stage.send('POST', path, { headers: stage.mine.headers })).status).toBe(400);
    expect((await stage.gateway.watch(path, stage.mine.headers).refusal)?.status).toBe(400);
    expect(stage.reached).toEqual([]);
    expect((await stage.go(path)).status).toBe(303);
  });

  test('that is used or made up leads on who may come anyway', async () => {
    const answer = await stage.go(`${stage.app}?fairlead-ticket=made-up`, stage.mine.headers);
    expect([answer.status, answer.headers.location]).toEqual([303, stage.app]);
  });

  test('ends after half a minute', async () => {
    const link = await stage.link({ place: 'editor' });
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      vi.setSystemTime(Date.now() + tooLateMs);
      expect((await stage.go(pathOf(link))).status).toBe(401);
    } finally {
      vi.useRealTimers();
    }
  });

  test('works for its place alone, and so does its cookie', async () => {
    const { id } = stage.mine.session;
    const link = await stage.link({ place: 'app', number: 1 });
    const { search } = new URL(link);
    for (const path of [
      `/apps/${stage.other.session.id}-1/`,
      stage.vscode,
      `/apps/${id}-p${stage.appPort}/`,
    ]) {
      const answer = await stage.go(path + search);
      expect([answer.status, answer.headers['set-cookie']]).toEqual([401, undefined]);
    }
    // What was tried elsewhere is not used up.
    const cookie = cookieOf(await stage.go(pathOf(link)));
    expect((await stage.get(stage.app, { cookie })).status).toBe(200);
    expect((await stage.get(stage.vscode, { cookie })).status).toBe(401);
  });

  test('opens another place of its session by way of the editor', async () => {
    const ofEditor = cookieOf(await stage.go(pathOf(await stage.link({ place: 'editor' }))));
    const port = `/apps/${stage.mine.session.id}-p${stage.appPort}/`;
    const away = await stage.go(`${port}deep?x=1`);
    expect(away.status).toBe(303);
    const errand = away.headers.location!;
    expect(errand).toContain(`${stage.vscode}.fairlead/enter?`);
    const refused = await stage.go(errand);
    expect([refused.status, refused.text]).toEqual([
      401,
      expect.stringContaining(`fairlead open ${stage.mine.session.id} --port ${stage.appPort}<`),
    ]);
    const back = await stage.go(errand, { cookie: ofEditor });
    expect([back.status, back.headers.location]).toEqual([303, `${port}deep?x=1`]);
    expect(back.headers['set-cookie']?.[0]).toContain(`; Path=${port};`);
    const answer = await stage.go(`${port}deep?x=1`, { cookie: cookieOf(back) });
    expect(answer.text).toBe('reached GET /deep?x=1');
  });

  test.each([
    '//evil.example/',
    '/\\evil.example',
    '/\t/evil.example',
    'https://evil.example',
    '',
    '/%0d%0a',
  ])('never leads elsewhere, as to %j', async (to) => {
    const query = new URLSearchParams({ place: '1', to });
    const answer = await stage.go(`${stage.vscode}.fairlead/enter?${query}`, stage.mine.headers);
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toMatch(new RegExp(`^${stage.app}`));
    const nowhere = await stage.go(
      `${stage.vscode}.fairlead/enter?place=${encodeURIComponent(to)}&to=/`,
      stage.mine.headers,
    );
    expect(nowhere.status).toBe(404);
  });

  test.each([
    [{ place: 'app' }, 'number'],
    [{ place: 'app', number: 1, port: 2 }, 'number'],
    [{ place: 'editor', number: 1 }, 'neither'],
    [{ place: 'app', number: 2 }, 'The session has no app 2; it has 1'],
    [{ place: 'editor', share: { expiresInSeconds: 60 } }, 'terminal'],
    [{ place: 'app', number: 1, share: { expiresInSeconds: 0 } }, 'expiresInSeconds'],
  ])('%j is refused with a reason', async (body, reason) => {
    const path = `/api/sessions/${stage.mine.session.id}/links`;
    const { status, text } = await stage.send('POST', path, { headers: stage.mine.headers, body });
    expect([status, text]).toEqual([422, expect.stringContaining(reason)]);
  });
});

describe('a shared link', () => {
  const share = { place: 'app', number: 1, share: { expiresInSeconds: 3600 } };

  test('opens one app to whoever has it, as often as they like', async () => {
    const link = await stage.link(share);
    for (let at = 0; at < 2; at += 1) {
      const answer = await stage.go(pathOf(link));
      expect([answer.status, answer.headers.location]).toEqual([303, stage.app]);
      const cookie = cookieOf(answer);
      expect((await stage.go(stage.app, { cookie })).status).toBe(200);
      const maxAge = Number(/Max-Age=(\d+)/.exec(answer.headers['set-cookie']![0]!)![1]);
      expect(maxAge).toBeLessThanOrEqual(3600);
    }
  });

  test('opens nothing else of the session, and no more than the app', async () => {
    const cookie = cookieOf(await stage.go(pathOf(await stage.link(share))));
    for (const path of [stage.vscode, `/apps/${stage.mine.session.id}-p${stage.appPort}/`]) {
      expect((await stage.get(path, { cookie })).status).toBe(401);
      expect(
        (await stage.gateway.watch(path, { cookie, origin: stage.gateway.server.url }).refusal)?.status,
      ).toBe(401);
    }
    const enter = await stage.go(`${stage.vscode}.fairlead/enter?place=vscode&to=/`, { cookie });
    expect(enter.status).toBe(401);
    stage.mine.session.state = 'paused';
    const origin = stage.gateway.server.url;
    const resume = await stage.send('POST', `${stage.app}.fairlead/resume`, { headers: { cookie, origin } });
    expect(resume.status).toBe(403);
    expect(stage.mine.session.state).toBe('paused');
  });

  test('does not work at another app, nor as a ticket or cookie, nor forged', async () => {
    const { search } = new URL(await stage.link(share));
    const text = search.slice('?fairlead-share='.length);
    const { id } = stage.mine.session;
    const wrong = [
      `/apps/${id}-p${stage.appPort}/${search}`,
      `${stage.vscode}${search}`,
      `/apps/${stage.other.session.id}-1/${search}`,
      `${stage.app}?fairlead-ticket=${text}`,
      `${stage.app}?fairlead-share=${text}x`,
      `${stage.app}?fairlead-share=x${text}`,
      `${stage.app}?fairlead-share=`,
    ];
    for (const path of wrong) {
      const answer = await stage.go(path);
      expect([path, answer.status, answer.headers['set-cookie']]).toEqual([path, 401, undefined]);
    }
    expect((await stage.get(stage.app, { cookie: `fairlead-${id}=${text}` })).status).toBe(401);
  });

  test('ends when it was said to, and the cookie it was exchanged for with it', async () => {
    const link = pathOf(await stage.link(share));
    const cookie = cookieOf(await stage.go(link));
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      vi.setSystemTime(Date.now() + 3_601_000);
      const { status, text } = await stage.go(link);
      expect([status, text]).toEqual([401, expect.stringContaining('ask who sent it')]);
      expect(text).not.toContain('fairlead open');
      expect((await stage.get(stage.app, { cookie })).status).toBe(401);
    } finally {
      vi.useRealTimers();
    }
  });

  test('ends with the key that it was made with', async () => {
    const link = pathOf(await stage.link(share));
    await stage.gateway.store.keys.revoke(stage.mine.keyId, new Date().toISOString());
    expect((await stage.go(link)).status).toBe(401);
  });

  test('takes nothing from who may see more', async () => {
    const answer = await stage.go(pathOf(await stage.link(share)), stage.mine.headers);
    expect([answer.status, answer.headers['set-cookie']]).toEqual([303, undefined]);
  });

  test("is not for a session's key to make", async () => {
    const path = `/api/sessions/${stage.mine.session.id}/links`;
    const { status } = await stage.send('POST', path, { headers: stage.mine.sessionHeaders, body: share });
    expect(status).toBe(403);
  });
});
