import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type WindowFacts, windowNamespace } from '@fairlead/protocol';
import { Server, type Socket } from 'socket.io';
import { expect, onTestFinished, test } from 'vitest';
import { GatewayLink, type LinkState } from '../../src/connection/gateway-link.ts';

test.each([429, 500, 503])('a gateway that cannot for now (%i) is asked again', async (status) => {
  const gateway = await standIn();
  gateway.refusals.push({ status, detail: 'try again later' });
  const { states } = link(gateway.url);
  await expect.poll(() => gateway.windows.length).toBe(1);
  expect(states).toContainEqual({ kind: 'lost', reason: 'try again later' });
  expect(states.map(({ kind }) => kind)).not.toContain('refused');
});

test('a gateway that says no is not asked again', async () => {
  const gateway = await standIn();
  gateway.refusals.push({ status: 401, detail: 'the key is not known' });
  const { states } = link(gateway.url);
  await expect.poll(() => states.at(-1)).toEqual({ kind: 'refused', detail: 'the key is not known' });
  // Longer than it waits where it does come back.
  await delay(1_500);
  expect(gateway.windows).toEqual([]);
});

test('what a gateway has not taken note of is told again, as it is by then', async () => {
  const gateway = await standIn();
  const { told, states } = link(gateway.url, { name: 'old' });
  await expect.poll(() => gateway.windows.length).toBe(1);
  const heard: string[] = [];
  gateway.windows[0]!.on('facts', ({ name }: WindowFacts, acknowledge: (answer: object) => void) => {
    heard.push(name);
    if (heard.length === 2) acknowledge({ ok: true });
  });
  const done = told('old');
  await expect.poll(() => heard).toEqual(['old']);
  await Promise.all([done, told('new')]);
  expect(heard).toEqual(['old', 'new']);
  expect(states.map(({ kind }) => kind)).not.toContain('lost');
});

/** A gateway that refuses as often as it is told to. */
async function standIn() {
  const http = createServer();
  const io = new Server(http);
  const refusals: { status: number; detail: string }[] = [];
  const windows: Socket[] = [];
  io.of(windowNamespace).use((_socket, next) => {
    const data = refusals.shift();
    next(data && Object.assign(new Error(data.detail), { data }));
  });
  io.of(windowNamespace).on('connection', (socket) => windows.push(socket));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(() => io.close());
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, refusals, windows };
}

function link(url: string, facts: Partial<WindowFacts> = {}) {
  const states: LinkState[] = [];
  const dialled = new GatewayLink({
    url,
    credential: () => ({ key: 'fw_a_b' }),
    facts: () => facts as WindowFacts,
    onState: (state) => states.push(state),
    openSession: () => Promise.resolve(),
    closeSession: () => Promise.resolve(),
    acceptStream: () => undefined,
  });
  onTestFinished(() => dialled.close());
  const told = (name: string) => {
    facts.name = name;
    return dialled.tellFacts();
  };
  return { states, told };
}
