import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { createApiKey } from '../../src/auth/keys.ts';
import { openStream } from './support/open-stream.ts';
import { connected, type Headers } from './support/test-gateway.ts';
import { cookieFor, ticketFor } from './support/visitors.ts';
import { startWithSandbox } from './support/with-sandbox.ts';

const refusal = {
  status: 401,
  detail: 'The key or login that this was opened with is not valid any more',
};
const closed = { code: 4401, reason: refusal.detail };

type Stage = Awaited<ReturnType<typeof startWithSandbox>>;

/** One of each, and each has been let in. */
async function openAll(stage: Stage, headers: Headers) {
  const { watch, connect, server, session, base } = stage;
  const path = `/api/sessions/${session.id}/events`;
  const events = watch(path, headers);
  await events.until(({ messages }) => messages.length > 0);
  const terminal = watch(`${base}/shells/main/terminal`, headers);
  await terminal.until(({ messages }) => messages.length > 0);
  const stream = await openStream(server.port, path, headers);
  await stream.until((text) => text.includes('"live"'));
  const socket = connect({}, headers);
  const refused = new Promise((resolve) => socket.on('refused', resolve));
  const disconnected = new Promise((resolve) => socket.on('disconnect', resolve));
  socket.on('events', (_events, done: () => void) => done());
  await connected(socket);
  await socket.emitWithAck('watch', { session: session.id });
  return { events, terminal, stream, socket, refused, disconnected };
}

async function expectEnded(open: Awaited<ReturnType<typeof openAll>>): Promise<void> {
  expect(await open.events.closed).toEqual(closed);
  expect(await open.terminal.closed).toEqual(closed);
  await open.stream.ended;
  expect(open.stream.text).toMatch(`event: error\ndata: ${JSON.stringify(refusal)}\n\n`);
  expect(await open.refused).toEqual(refusal);
  expect(await open.disconnected).toBe('io server disconnect');
}

test('what a revoked key has opened is ended, with the reason, and nothing else is', async () => {
  const stage = await startWithSandbox(
    () => undefined,
    (shell) => shell.send('$ '),
  );
  const other = await createApiKey(stage.store, stage.owner, 'other');
  const kept = await openAll(stage, { authorization: `Bearer ${other.text}` });
  const open = await openAll(stage, stage.headers);
  const byCookie = await openAll(stage, await cookieFor(stage, stage.headers));
  const ticket = await ticketFor(stage, stage.headers);
  const byTicket = stage.watch(`/api/sessions/${stage.session.id}/events?ticket=${ticket}`);
  await byTicket.until(({ messages }) => messages.length > 0);
  expect(stage.sessions.watching).toBe(10);
  // As another process does it: the gateway is not told.
  await stage.store.keys.revoke(stage.keyId, new Date().toISOString());
  await Promise.all([expectEnded(open), expectEnded(byCookie)]);
  expect(await byTicket.closed).toEqual(closed);
  await expect.poll(() => stage.sessions.watching).toBe(3);
  expect([kept.events.socket.readyState, kept.terminal.socket.readyState]).toEqual([1, 1]);
  expect(kept.socket.connected).toBe(true);
}, 30_000);

test('what a cookie has opened is ended by its logout', async () => {
  const stage = await startWithSandbox(
    () => undefined,
    (shell) => shell.send('$ '),
  );
  const headers = await cookieFor(stage, stage.headers);
  const kept = await openAll(stage, await cookieFor(stage, stage.headers));
  const open = await openAll(stage, headers);
  const ticket = await ticketFor(stage, headers);
  const byTicket = stage.watch(`/api/sessions/${stage.session.id}/events?ticket=${ticket}`);
  await byTicket.until(({ messages }) => messages.length > 0);
  expect((await stage.call('POST', '/logout', { headers })).status).toBe(204);
  await expectEnded(open);
  expect(await byTicket.closed).toEqual(closed);
  expect(kept.events.socket.readyState).toBe(1);
});

test('a terminal whose key is revoked types nothing more, also when its peer does not hang up', async () => {
  let shell: WebSocket | undefined;
  const typed: string[] = [];
  const stage = await startWithSandbox(
    () => undefined,
    (socket) => {
      shell = socket;
      socket.on('message', (data: Buffer) => void typed.push(String(data)));
      socket.send('$ ');
    },
  );
  const headers = await cookieFor(stage, stage.headers);
  const terminal = stage.watch(`${stage.base}/shells/main/terminal`, headers);
  await terminal.until(({ messages }) => messages.length > 0);
  terminal.socket.send('before');
  await expect.poll(() => typed).toEqual(['before']);
  // It does not hear that it is told to leave, so it does not.
  terminal.socket.pause();
  await stage.call('POST', '/logout', { headers });
  terminal.socket.send('behind');
  await new Promise((resolve) => shell!.on('close', resolve));
  expect(typed).toEqual(['before']);
});
