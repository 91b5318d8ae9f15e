import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect as connectTcp, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { httpAddress, openBridge, post } from './support.ts';

const message = (id: number) => ({ id, type: 'vscode/showMessage', params: { message: 'hi' } });
const bearer = (env: Record<string, string>) => ({
  authorization: `Bearer ${env['FAIRLEAD_RUN_BRIDGE_TOKEN']}`,
});

/** A WebSocket that takes no notice of what the window says. */
async function deafPeer(env: Record<string, string>): Promise<Socket> {
  const { port, host } = new URL(env['FAIRLEAD_RUN_BRIDGE_ADDR']!);
  const socket = connectTcp(Number(port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write(
    `GET / HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Authorization: ${bearer(env).authorization}\r\n` +
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  );
  await once(socket, 'data');
  socket.resume();
  return socket;
}

/** A short text, masked with nothing. */
function frame(content: object): Buffer {
  const text = Buffer.from(JSON.stringify(content));
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]);
}

test('what a program sends after the end of its run is not done, and it is cut off', async () => {
  const { bridge, calls } = openBridge(() => ({}));
  await bridge.begin('another.py');
  const run = await bridge.begin('a.py');
  const socket = await deafPeer(run.env);
  socket.write(frame(message(1)));
  await expect.poll(() => calls.length).toBe(1);
  const closed = once(socket, 'close');
  run.end();
  socket.write(frame(message(2)));
  await closed;
  expect(calls).toHaveLength(1);
});

test('a request over HTTP that is not whole when its run ends is refused', async () => {
  const { bridge, calls } = openBridge(() => ({}));
  await bridge.begin('another.py');
  const run = await bridge.begin('a.py');
  const headers = { ...bearer(run.env), expect: '100-continue' };
  const sent = request(`${httpAddress(run.env)}request`, { method: 'POST', headers });
  sent.flushHeaders();
  await once(sent, 'continue');
  run.end();
  sent.end(JSON.stringify(message(1)));
  const [response] = (await once(sent, 'response')) as [{ statusCode: number; resume(): void }];
  response.resume();
  expect(response.statusCode).toBe(401);
  expect(calls).toEqual([]);
});

test('a request over HTTP is cancelled when its run ends', async () => {
  const { bridge, calls } = openBridge(() => new Promise(() => undefined));
  await bridge.begin('another.py');
  const run = await bridge.begin('a.py');
  const answered = post(`${httpAddress(run.env)}request`, JSON.stringify(message(1)), bearer(run.env));
  await expect.poll(() => calls.length).toBe(1);
  run.end();
  expect(calls[0]!.call.signal.aborted).toBe(true);
  expect(await answered).toMatchObject({ status: 200, body: { id: 1, code: 'cancelled' } });
});
