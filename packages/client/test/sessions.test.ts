import { describe, expect, it } from 'vitest';
import { createClient } from '@fairlead/client';
import { json, key, sessionId } from './support/test-gateway.ts';
import { useGateway } from './support/use-gateway.ts';

const session = {
  id: sessionId,
  owner: 'me',
  driver: 'local',
  image: null,
  windowId: null,
  state: 'running',
  reason: null,
  workspace: { kind: 'own' },
  labels: {},
  limits: {},
  createdAt: '2030-01-01T00:00:00.000Z',
  lastActiveAt: '2030-01-01T00:00:00.000Z',
  idleTimeoutSeconds: 1800,
  expiresAt: null,
  url: `http://gateway/runtimes/${sessionId}`,
  editorUrl: `http://gateway/vscode/${sessionId}/`,
  apps: [{ number: 1, port: 20_001, url: `http://gateway/apps/${sessionId}-1/` }],
};

describe('sessions', () => {
  const held = useGateway();

  it('are created with progress on the way', async () => {
    held.gateway.routes.set('POST /api/sessions', (request, response) => {
      expect(JSON.parse(String(request.body))).toEqual({ labels: { name: 'demo' } });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': keep open\n\nevent: progress\ndata: {"text":"pulling 1 of 2"}\n\nevent: prog');
      response.write('ress\ndata: {"text":"starting"}\n\n');
      response.end(`event: created\ndata: ${JSON.stringify({ session: { ...session, key: 'fs_x' } })}\n\n`);
    });
    const progress: string[] = [];
    const created = await held.client.sessions.create(
      { labels: { name: 'demo' } },
      { onProgress: (text) => progress.push(text) },
    );
    expect(created).toMatchObject({ id: sessionId, key: 'fs_x' });
    expect(progress).toEqual(['pulling 1 of 2', 'starting']);
  });

  it('fail to be created with the reason', async () => {
    held.gateway.routes.set('POST /api/sessions', (_request, response) => {
      response.end('event: error\ndata: {"status":502,"detail":"bubblewrap is not installed"}\n\n');
    });
    await expect(held.client.sessions.create()).rejects.toMatchObject({
      code: 'failed',
      status: 502,
      message: 'bubblewrap is not installed',
    });
  });

  it('are not created a second time when the connection breaks', async () => {
    held.gateway.routes.set('POST /api/sessions', (_request, response) => {
      response.write('event: progress\ndata: {"text":"starting"}\n\n', () => response.destroy());
    });
    await expect(held.client.sessions.create()).rejects.toMatchObject({ code: 'unreachable' });
    expect(held.gateway.requests).toHaveLength(1);
  });

  it('are listed by state and label, changed and deleted', async () => {
    const { gateway, client } = held;
    gateway.routes.set('GET /api/sessions', (request, response) => {
      expect([...request.query]).toEqual([
        ['state', 'running'],
        ['state', 'paused'],
        ['label', 'name=a=b'],
      ]);
      json(response, { sessions: [session] });
    });
    expect(await client.sessions.list({ states: ['running', 'paused'], labels: { name: 'a=b' } })).toEqual([
      session,
    ]);
    for (const verb of ['pause', 'resume', 'stop', 'extend'] as const) {
      gateway.routes.set(`POST /api/sessions/${sessionId}/${verb}`, (_request, response) =>
        json(response, session),
      );
      expect(await client.sessions[verb](sessionId)).toEqual(session);
    }
    await client.sessions.extend(sessionId, 60);
    expect(String(gateway.requests.at(-1)?.body)).toBe('{"seconds":60}');
    gateway.routes.set(`DELETE /api/sessions/${sessionId}`, (_request, response) => {
      response.writeHead(204).end();
    });
    await client.sessions.delete(sessionId);
    expect(gateway.requests.at(-1)?.method).toBe('DELETE');
  });

  it('are reached behind a path of the address', async () => {
    const { gateway } = held;
    gateway.routes.set(`GET /fairlead/api/sessions/${sessionId}`, (_request, response) =>
      json(response, session),
    );
    const client = createClient({ url: `${gateway.url}/fairlead`, key });
    expect(await client.sessions.get(sessionId)).toEqual(session);
  });
});

describe('a failed request', () => {
  const held = useGateway();

  it('has the status, a code and the words of the gateway', async () => {
    held.gateway.routes.set('GET /api/sessions', (_request, response) =>
      json(response, { detail: 'Invalid request parameters', errors: 'state: use one of …' }, 422),
    );
    await expect(held.client.sessions.list()).rejects.toMatchObject({
      name: 'FairleadError',
      code: 'bad-request',
      status: 422,
      message: 'Invalid request parameters: state: use one of …',
    });
  });

  it('says that something else than the gateway answered', async () => {
    held.gateway.routes.set('GET /api/sessions', (_request, response) => {
      response.writeHead(502).end('<html>');
    });
    await expect(held.client.sessions.list()).rejects.toMatchObject({ code: 'unreachable', status: 502 });
    held.gateway.routes.set('GET /api/sessions', (_request, response) => void response.end('<html>'));
    await expect(held.client.sessions.list()).rejects.toMatchObject({ code: 'bad-answer' });
  });

  it('names the gateway that nobody can reach', async () => {
    const { url } = held.gateway;
    await held.gateway.close();
    await expect(held.client.sessions.list()).rejects.toMatchObject({
      code: 'unreachable',
      status: null,
      message: `Cannot reach the gateway at ${url}: nothing listens there`,
    });
  });
});
