import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { startApp } from './support/app.ts';
import { prefix, startFront } from './support/front.ts';

const learned = { rules: { prefixMode: 'learned' as const } };

describe('a server of which it is not known whether it wants the prefix', () => {
  it('does not get it when it answers without', async () => {
    const app = await startApp((_request, response) => response.end('root'));
    const front = await startFront(app, learned);
    expect(await (await fetch(front.url)).text()).toBe('root');
    await fetch(`${front.url}a`);
    expect(app.requests.map(({ url }) => url)).toEqual(['/', '/a']);
  });

  it.each([
    [
      'sends the browser there',
      (response: ServerResponse) => response.writeHead(302, { location: `${prefix}/` }),
    ],
    ['finds nothing', (response: ServerResponse) => response.writeHead(404)],
  ])('gets it when it %s, and from then on always', async (_how, refuse) => {
    const app = await startApp(knowingPrefix(refuse));
    const front = await startFront(app, learned);
    expect(await (await fetch(`${front.url}?x=1`)).text()).toBe(`at ${prefix}/?x=1`);
    expect(await (await fetch(`${front.url}a`)).text()).toBe(`at ${prefix}/a`);
  });

  it('gets it no more when another server has taken its place', async () => {
    let answer = knowingPrefix((response) => response.writeHead(404));
    const app = await startApp((request, response) => answer(request, response));
    const front = await startFront(app, learned);
    expect(await (await fetch(front.url)).text()).toBe(`at ${prefix}/`);
    answer = (request, response) => {
      response.writeHead(request.url === '/' ? 200 : 404).end('without');
    };
    expect(await (await fetch(front.url)).text()).toBe('without');
    expect((await fetch(`${front.url}a`)).status).toBe(404);
    expect(app.requests.at(-1)?.url).toBe('/a');
  });

  it('is taken at its word when it has nothing at its root either way', async () => {
    const app = await startApp((request, response) => response.writeHead(404).end(`no ${request.url}`));
    const front = await startFront(app, learned);
    const answer = await fetch(front.url);
    expect([answer.status, await answer.text()]).toEqual([404, `no ${prefix}/`]);
    expect(app.requests.map(({ url }) => url)).toEqual(['/', `${prefix}/`]);
    expect(await (await fetch(`${front.url}api`)).text()).toBe('no /api');
  });

  it('is taken at its word when it sends the browser round once to see its cookie', async () => {
    const app = await startApp((request, response) => {
      if (request.headers.cookie === 'seen=1') response.end('welcome');
      else response.writeHead(302, { location: '/', 'set-cookie': 'seen=1' }).end();
    });
    const front = await startFront(app, learned);
    const answer = await fetch(front.url, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, `${prefix}/`]);
    expect(await (await fetch(front.url, { headers: { cookie: 'seen=1' } })).text()).toBe('welcome');
  });
});

function knowingPrefix(refuse: (response: ServerResponse) => ServerResponse) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (request.url?.startsWith(`${prefix}/`)) response.end(`at ${request.url}`);
    else refuse(response).end();
  };
}
