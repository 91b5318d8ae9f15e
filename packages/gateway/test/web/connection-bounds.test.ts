import { get as httpGet } from 'node:http';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Headers } from '../fronts/support/test-gateway.ts';
import { cookieOf, pathOf, type Stage, startStage } from './support/web-stage.ts';

const connections = 256;
const guestConnections = 64;
let stage: Stage;

beforeEach(async () => {
  stage = await startStage();
});

test('guests of a shared link leave room for the owner', async () => {
  const share = { place: 'app', number: 1, share: { expiresInSeconds: 3600 } };
  const cookie = cookieOf(await stage.go(pathOf(await stage.link(share))));
  await Promise.all(Array.from({ length: guestConnections }, () => openStream({ cookie })));
  expect((await stage.get(stage.app, { cookie })).status).toBe(503);
  const watcher = stage.gateway.watch(stage.app, { cookie, origin: stage.gateway.server.url });
  expect(await watcher.refusal).toMatchObject({ status: 503 });
  expect((await stage.get(stage.app, stage.mine.headers)).status).toBe(200);
  expect(await stage.gateway.watch(stage.app, stage.mine.headers).refusal).toBeUndefined();
});

test('WebSockets that wait for an editor count, until their clients leave', async () => {
  stage.editor.state = 'starting';
  const { sessionHeaders } = stage.mine;
  const watchers = Array.from({ length: connections }, () =>
    stage.gateway.watch(stage.vscode, sessionHeaders),
  );
  await answers(503, sessionHeaders);
  for (const { socket } of watchers) socket.terminate();
  await answers(200, sessionHeaders);
  expect(stage.editor.state).toBe('starting');
});

/** Asks until it is so. */
async function answers(status: number, headers: Headers): Promise<void> {
  while ((await stage.get(stage.app, headers)).status !== status)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Resolves when it has begun; it does not end by itself. */
function openStream(headers: Headers): Promise<void> {
  return new Promise((resolve, reject) => {
    const url = `${stage.gateway.server.url}${stage.app}stream`;
    const request = httpGet(url, { headers, agent: false }, (response) => {
      response.on('error', () => undefined);
      response.once('data', () => resolve());
    });
    request.on('error', reject);
    onTestFinished(() => void request.destroy());
  });
}
