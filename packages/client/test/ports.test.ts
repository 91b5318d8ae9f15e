import type { ServerResponse } from 'node:http';
import type { ShownPort } from '@fairlead/protocol';
import { describe, expect, it } from 'vitest';
import { json, sessionId } from './support/test-gateway.ts';
import { useGateway } from './support/use-gateway.ts';

const route = `GET /api/sessions/${sessionId}/ports`;

describe('ports', () => {
  const held = useGateway();

  it('lists what listens, and the app ports', async () => {
    const { gateway, client } = held;
    gateway.routes.set(route, (_request, response) => json(response, { ports: [app(true)] }));
    expect(await client.session(sessionId).ports()).toEqual([app(true)]);
  });

  it('tells each change, also those behind a connection that broke', async () => {
    const { gateway, client } = held;
    const lists = [[app(false)], [app(true)]];
    gateway.routes.set(route, ({ headers }, response) => {
      expect(headers.accept).toBe('text/event-stream');
      send(response, lists.shift()!);
    });
    const watched = iterate(client.session(sessionId).watchPorts());
    expect(await watched.next()).toEqual([app(false)]);
    gateway.cut();
    expect(await watched.next()).toEqual([app(true)]);
    await watched.return();
  });

  it('ends with its signal, and when the session is gone', async () => {
    const { gateway, client } = held;
    const ending = new AbortController();
    gateway.routes.set(route, (_request, response) => void send(response, []));
    const watched = iterate(client.session(sessionId).watchPorts({ signal: ending.signal }));
    expect(await watched.next()).toEqual([]);
    ending.abort();
    expect(await watched.next()).toBeUndefined();

    gateway.routes.set(route, (_request, response) => void send(response, []).end());
    const gone = iterate(client.session(sessionId).watchPorts());
    expect(await gone.next()).toEqual([]);
    expect(await gone.next()).toBeUndefined();
  });

  it('says at once that there is no such session, or no gateway', async () => {
    const { gateway, client } = held;
    const watch = () => iterate(client.session(sessionId).watchPorts()).next();
    await expect(watch()).rejects.toMatchObject({ code: 'not-found' });
    await gateway.close();
    await expect(watch()).rejects.toMatchObject({ code: 'unreachable' });
  });
});

function app(isListening: boolean): ShownPort {
  const socket = isListening
    ? { address: '127.0.0.1', command: 'node app.js' }
    : { address: null, command: null };
  return { port: 20_000, number: 1, isListening, ...socket, url: `http://gateway/apps/${sessionId}-1/` };
}

function send(response: ServerResponse, ports: ShownPort[]): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`:\n\ndata: ${JSON.stringify({ ports })}\n\n`);
  return response;
}

function iterate(source: AsyncIterable<ShownPort[]>) {
  const iterator = source[Symbol.asyncIterator]();
  return {
    next: async () => (await iterator.next()).value as ShownPort[] | undefined,
    return: () => iterator.return?.(),
  };
}
