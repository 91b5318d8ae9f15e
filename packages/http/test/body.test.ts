import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { BodyBudget } from '../src/body-budget.ts';
import { answerError, type HttpError, readText } from '../src/index.ts';

/** Answers with the length of each body, of which 1,000 bytes may be on their way, and 600 of each client. */
async function start() {
  const budget = new BodyBudget(1_000, 600);
  const arrived: string[] = [];
  const server = createServer((asked, response) => {
    asked.on('data', (piece) => arrived.push(String(piece)));
    readText(asked, 500, budget).then(
      (text) => response.end(String(text.length)),
      (error: unknown) => {
        if (!asked.socket.destroyed) answerError(response, error as HttpError);
      },
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const send = async (key: string, bytes: number) => {
    const count = arrived.length;
    const sent = request({ port, method: 'POST', headers: { 'x-api-key': key } });
    const answer = once(sent, 'response').then(([response]) => response as IncomingMessage);
    answer.catch(() => undefined);
    sent.on('error', () => undefined);
    sent.write('x'.repeat(bytes));
    while (arrived.length === count) await nextTurn();
    return { sent, answer };
  };
  return { send };
}

test('a client that sends more at once than its share is told to wait', async () => {
  const { send } = await start();
  const first = await send('one', 400);
  const second = await send('one', 400);
  const refused = await second.answer;
  expect(refused.statusCode).toBe(429);
  expect(refused.headers['retry-after']).toBe('1');
  first.sent.end();
  expect((await first.answer).statusCode).toBe(200);
  const third = await send('one', 400);
  third.sent.end();
  expect((await third.answer).statusCode).toBe(200);
});

test('all clients together are told to wait when too much is on its way', async () => {
  const { send } = await start();
  const waiting = [await send('one', 400), await send('two', 400)];
  const refused = await (await send('three', 400)).answer;
  expect(refused.statusCode).toBe(503);
  expect(refused.headers['retry-after']).toBe('1');
  for (const { sent, answer } of waiting) {
    sent.end();
    expect((await answer).statusCode).toBe(200);
  }
});

test('a client that leaves in the middle takes its bytes with it', async () => {
  const { send } = await start();
  for (let round = 0; round < 5; round += 1) {
    const { sent } = await send('one', 400);
    const closed = new Promise((resolve) => sent.on('close', resolve));
    sent.destroy();
    await closed;
    let status: number | undefined;
    // The server hears of it a moment later.
    for (let tries = 0; status !== 200 && tries < 100; tries += 1) {
      const next = await send('one', 300);
      next.sent.end();
      ({ statusCode: status } = await next.answer);
    }
    expect(status).toBe(200);
  }
});
