import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  acceptUpgrades,
  answerJson,
  createRouter,
  describeRoutes,
  type Door,
  HttpError,
  type RouteEntry,
  serve,
} from '../src/index.ts';

interface Context {
  visitor: string;
}

const answers = { 200: { description: 'ok' } };
const table: RouteEntry<Context>[] = [
  {
    kind: 'http',
    method: 'GET',
    path: '/rooms/{room}',
    load: async () => ({
      route: {
        summary: 'A room',
        document: () => ({ answers }),
        handle: ({ response, visitor, params, query }) =>
          answerJson(response, { visitor, params, query: Object.fromEntries(query) }),
      },
    }),
  },
  {
    kind: 'http',
    method: 'POST',
    path: '/rooms/{room}',
    isPublic: true,
    load: async () => ({
      route: {
        summary: 'Fails',
        document: () => ({ answers }),
        handle: () => {
          throw new Error('scripted failure');
        },
      },
    }),
  },
  {
    kind: 'socket',
    method: 'GET',
    path: '/rooms/{room}/talk',
    load: async () => ({
      route: {
        summary: 'Talk',
        document: () => ({ answers }),
        attach: (socket, { visitor, params, query }) =>
          socket.send(JSON.stringify({ visitor, params, query: Object.fromEntries(query) })),
      },
    }),
  },
];

test('what the door says of a visitor reaches the route, with its parameters', async () => {
  const { get } = await open();
  expect(await get('/rooms/a%20b?x=1', { name: 'ada' })).toEqual([
    200,
    { visitor: 'ada', params: { room: 'a b' }, query: { x: '1' } },
  ]);
});

test('a visitor who is not let in does not learn which paths exist', async () => {
  const { get } = await open();
  for (const path of ['/rooms/1', '/nothing', '/rooms/%zz', '/rooms/1/talk']) {
    expect([path, await get(path)]).toEqual([path, [401, { detail: 'Who are you?' }]]);
  }
  expect((await get('/nothing', { name: 'ada' }))[0]).toBe(404);
  expect((await get('/rooms/%zz', { name: 'ada' }))[0]).toBe(400);
  expect((await get('/rooms/1/talk', { name: 'ada' }))[0]).toBe(426);
});

test('a fault of a route is told to the log, not to the visitor', async () => {
  const { url, logged } = await open();
  const response = await fetch(`${url}/rooms/1`, { method: 'POST' });
  expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('scripted')]);
  expect(logged).toEqual(['POST /rooms/1 500: scripted failure']);
});

test('WebSockets go through the same door, which keeps what is for itself', async () => {
  const { url } = await open();
  const socket = new WebSocket(`${url}/rooms/1/talk?ticket=ada&x=1`);
  const message = await new Promise<Buffer>((resolve) => socket.on('message', resolve));
  socket.terminate();
  expect(JSON.parse(String(message))).toEqual({ visitor: 'ada', params: { room: '1' }, query: { x: '1' } });
  expect(await refusal(`${url}/rooms/1/talk`)).toEqual([401, 'Name']);
  expect(await refusal(`${url}/nothing`)).toEqual([401, 'Name']);
  expect(await refusal(`${url}/nothing?ticket=ada`)).toEqual([404, undefined]);
  expect(await refusal(`${url}/rooms/1?ticket=ada`)).toEqual([400, undefined]);
});

test('the description names the ways to be let in, and leaves them out for what is public', async () => {
  const { paths, components } = (await describeRoutes(table, {
    title: 'Rooms',
    security: { name: { type: 'http', scheme: 'name' }, cookie: { type: 'apiKey' } },
    refusals: { 401: { description: 'Who are you?' } },
    // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects, and fails where it is not
  })) as any;
  const { get, post } = paths['/rooms/{room}'];
  expect(components.securitySchemes).toHaveProperty('cookie');
  expect([get.security, Object.keys(get.responses)]).toEqual([
    [{ name: [] }, { cookie: [] }],
    ['200', '401'],
  ]);
  expect([post.security, Object.keys(post.responses)]).toEqual([[], ['200']]);
});

async function open() {
  const logged: string[] = [];
  const door: Door<Context> = {
    routes: table,
    findRoute: createRouter(table),
    log: (line) => void logged.push(line),
    async enter({ request, isUpgrade, query, match }) {
      const visitor = isUpgrade ? query.get('ticket') : request.headers['name'];
      query.delete('ticket');
      if (typeof visitor === 'string') return { visitor };
      if (match?.entry.isPublic) return { visitor: 'anybody' };
      throw new HttpError(401, 'Who are you?', {}, { 'www-authenticate': 'Name' });
    },
  };
  const http = createServer((request, response) => void serve(door, request, response));
  const upgrades = acceptUpgrades(http, door);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    upgrades.close();
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const get = async (path: string, headers: Record<string, string> = {}): Promise<[number, unknown]> => {
    const response = await fetch(url + path, { headers });
    return [response.status, await response.json()];
  };
  return { url, logged, get };
}

function refusal(url: string): Promise<[status: number | undefined, authenticate: string | undefined]> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    socket.on('unexpected-response', (_request, response) => {
      resolve([response.statusCode, response.headers['www-authenticate']]);
      response.destroy();
    });
    socket.on('open', () => reject(new Error('the connection was accepted')));
    socket.on('error', () => undefined);
  });
}
