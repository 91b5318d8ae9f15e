import { beforeEach, describe, expect, test } from 'vitest';
import { type Stage, startStage } from './support/web-stage.ts';

let stage: Stage;

beforeEach(async () => {
  stage = await startStage();
});

describe('the editor', () => {
  test('is asked for by a visit, and shown', async () => {
    const { status, text } = await stage.go(`${stage.vscode}?folder=/x`, stage.mine.headers);
    expect([status, text, stage.editorVisits()]).toEqual([200, 'reached GET /?folder=/x', 1]);
  });

  test('that starts has a page which shows how far it is, and gives way to it', async () => {
    Object.assign(stage.editor, {
      state: 'starting',
      detail: 'waiting for its first answer',
      token: 'secret',
    });
    const page = await stage.go(stage.vscode, stage.mine.headers);
    expect(page.status).toBe(503);
    expect(page.text).toContain(`data-path="${stage.vscode}.fairlead/editor"`);
    const progress = await stage.get(`${stage.vscode}.fairlead/editor`, stage.mine.headers);
    expect(progress.json).toEqual({ state: 'starting', detail: 'waiting for its first answer' });
    expect((await stage.get(`${stage.vscode}.fairlead/editor`)).status).toBe(401);
    expect(stage.reached).toEqual([]);
  });

  test('that is missing says what to run', async () => {
    stage.editor.state = 'missing';
    const { status, text } = await stage.go(stage.vscode, stage.mine.headers);
    expect([status, text]).toEqual([503, expect.stringContaining('fairlead editor install')]);
  });

  test('that failed says why, and nothing of what it says is taken for HTML', async () => {
    Object.assign(stage.editor, { state: 'failed', detail: 'It ended: <script>x</script>\nlast line' });
    const { status, text } = await stage.go(stage.vscode, stage.mine.headers);
    expect(status).toBe(502);
    expect(text).toContain('&#60;script&#62;x');
    expect(text).not.toContain('<script>x');
  });

  test('is waited for by a WebSocket, as of a page that comes back', async () => {
    stage.editor.state = 'starting';
    const watcher = stage.gateway.watch(stage.vscode, stage.mine.headers);
    while (stage.editorVisits() < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(stage.reached).toEqual([]);
    stage.editor.state = 'running';
    expect(await watcher.refusal).toBeUndefined();
  });

  test('that asks for a token gets it in the cookie its pages read, and not in an address', async () => {
    Object.assign(stage.editor, { product: 'openvscode-server', token: 'its-token' });
    const first = await stage.go(`${stage.vscode}?x=1`, stage.mine.headers);
    expect([first.status, first.headers.location]).toEqual([303, `${stage.vscode}?x=1`]);
    expect(first.headers['set-cookie']).toEqual([
      `vscode-tkn=its-token; Path=${stage.vscode}; SameSite=Lax; Max-Age=604800`,
    ]);
    const headers = { ...stage.mine.headers, cookie: 'vscode-tkn=its-token' };
    expect((await stage.go(stage.vscode, headers)).status).toBe(200);
    expect(stage.reached[0]!.headers.cookie).toBe('vscode-tkn=its-token');
    stage.editor.token = 'x; Domain=example.com';
    expect((await stage.go(stage.vscode, stage.mine.headers)).status).toBe(200);
  });

  test('that opens what its address says is told its folder', async () => {
    Object.assign(stage.editor, { product: 'serve-web', token: null });
    const first = await stage.go(stage.vscode, stage.mine.headers);
    expect(first.headers.location).toBe(`${stage.vscode}?folder=%2Fworkspace`);
    expect((await stage.go(first.headers.location!, stage.mine.headers)).status).toBe(200);
  });

  test('gets its slash, with the query as it was', async () => {
    const { status, headers } = await stage.go(`${stage.vscode.slice(0, -1)}?a=%2F`);
    expect([status, headers.location]).toEqual([308, `${stage.vscode}?a=%2F`]);
  });
});

describe('a session that does not run', () => {
  test.each(['paused', 'stopped', 'failed'] as const)(
    'says that it is %s, and its owner lets it go on',
    async (state) => {
      Object.assign(stage.mine.session, { state, reason: 'idle <for> long' });
      for (const path of [stage.app, stage.vscode]) {
        const { status, text } = await stage.go(path, stage.mine.headers);
        expect(status).toBe(503);
        expect(text).toContain('idle &#60;for&#62; long');
        expect(text).toContain(`<form method="post" action="${path}.fairlead/resume">`);
      }
      const answer = await stage.send('POST', `${stage.app}.fairlead/resume`, {
        headers: stage.mine.headers,
      });
      expect([answer.status, answer.headers.location]).toEqual([303, stage.app]);
      expect((await stage.go(stage.app, stage.mine.headers)).status).toBe(200);
    },
  );

  test("is not let go on by its own key, nor by another's page", async () => {
    stage.mine.session.state = 'paused';
    const resume = `${stage.app}.fairlead/resume`;
    const { text } = await stage.go(stage.app, stage.mine.sessionHeaders);
    expect(text).not.toContain('<form');
    for (const headers of [
      stage.mine.sessionHeaders,
      { ...stage.mine.headers, origin: 'https://evil.example' },
    ]) {
      expect((await stage.send('POST', resume, { headers })).status).toBe(403);
    }
    expect((await stage.send('POST', resume, { headers: stage.other.headers })).status).toBe(404);
    const again = await stage.go(resume, stage.mine.headers);
    expect([again.status, again.headers.location]).toEqual([303, stage.app]);
    expect(stage.mine.session.state).toBe('paused');
  });

  test('has a page that waits while it starts', async () => {
    stage.mine.session.state = 'starting';
    const { status, headers } = await stage.go(stage.app, stage.mine.headers);
    expect([status, headers['retry-after']]).toEqual([503, '2']);
  });

  test('is said to be gone, or stopped, by a page that was asked for before', async () => {
    for (const change of ['stop', 'remove'] as const) {
      const asked = stage.go(`${stage.app}held`, stage.mine.headers);
      while (stage.held.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      await stage.gateway.sessions[change](stage.mine.session.id, 'idle');
      stage.held.pop()!.destroy();
      const { status, text } = await asked;
      const expected =
        change === 'stop' ? [503, 'This session is stopped'] : [404, 'There is no such session'];
      expect([status, text]).toEqual([expected[0], expect.stringContaining(expected[1] as string)]);
      if (change === 'stop') await stage.gateway.sessions.resume(stage.mine.session.id);
    }
  });

  test('refuses a WebSocket with the same words', async () => {
    stage.mine.session.state = 'stopped';
    const refusal = await stage.gateway.watch(stage.app, stage.mine.headers).refusal;
    expect([refusal?.status, refusal?.text]).toEqual([503, expect.stringContaining('stopped')]);
  });
});

test('an app that the session does not have is not there, and one that does not listen is waited for', async () => {
  const { id } = stage.mine.session;
  const missing = await stage.go(`/apps/${id}-3/`, stage.mine.headers);
  expect([missing.status, missing.text]).toEqual([
    404,
    expect.stringContaining('The session has no app 3; it has 1'),
  ]);
  const refusal = await stage.gateway.watch(`/apps/${id}-3/`, stage.mine.headers).refusal;
  expect([refusal?.status, refusal?.text]).toEqual([404, expect.stringContaining('no app 3; it has 1')]);
  const own = await stage.go(`${stage.app}.fairlead/x`, stage.mine.headers);
  expect([own.status, own.text]).toEqual([404, expect.stringContaining('has no such page')]);
  for (const path of [`/apps/${id}-3/`, `${stage.app}.fairlead/x`]) {
    const { status, text } = await stage.go(path, stage.other.headers);
    expect([status, text]).toEqual([404, expect.stringContaining('There is no such session')]);
  }
  const waiting = await stage.go(`/apps/${id}-p9/`, stage.mine.headers);
  expect([waiting.status, waiting.headers['retry-after']]).toEqual([503, '2']);
});
