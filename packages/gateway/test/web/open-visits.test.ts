import { get as httpGet, type IncomingMessage } from 'node:http';
import { beforeEach, expect, test } from 'vitest';
import { cookieOf, pathOf, type Stage, startStage } from './support/web-stage.ts';

let stage: Stage;
let headers: Record<string, string>;

beforeEach(async () => {
  stage = await startStage();
  const cookie = cookieOf(await stage.go(pathOf(await stage.link({ place: 'app', number: 1 }))));
  headers = { cookie, origin: stage.gateway.server.url };
});

test('what is open ends when its visitor may not come any more', async () => {
  const mine = stage.gateway.watch(stage.app, headers);
  const ofSession = stage.gateway.watch(stage.app, stage.mine.sessionHeaders);
  expect([await mine.refusal, await ofSession.refusal]).toEqual([undefined, undefined]);
  const stream = await openStream();
  const streamEnd = new Promise((resolve) => stream.on('close', resolve));
  await stage.gateway.store.keys.revoke(stage.mine.keyId, new Date().toISOString());
  await Promise.all([mine.closed, streamEnd]);
  ofSession.socket.send('still here');
  await ofSession.until(({ messages }) => messages.length > 0);
});

test('what is open ends with the session', async () => {
  const watcher = stage.gateway.watch(stage.app, headers);
  expect(await watcher.refusal).toBeUndefined();
  await stage.gateway.sessions.remove(stage.mine.session.id);
  await watcher.closed;
});

test('what is open ends with the gateway', async () => {
  const watcher = stage.gateway.watch(stage.app, headers);
  expect(await watcher.refusal).toBeUndefined();
  await stage.gateway.server.close();
  await watcher.closed;
});

function openStream(): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const url = `${stage.gateway.server.url}${stage.app}stream`;
    httpGet(url, { headers }, (response) => {
      response.on('error', () => undefined);
      response.once('data', () => resolve(response));
    }).on('error', reject);
  });
}
