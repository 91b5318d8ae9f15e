import { describe, expect, it } from 'vitest';
import { createClient } from '@fairlead/client';
import {
  actionIdOf,
  actionsRoute,
  finished,
  json,
  key,
  sessionId,
  TestGateway,
} from './support/test-gateway.ts';
import { useGateway } from './support/use-gateway.ts';

describe('an action whose connection breaks', () => {
  const held = useGateway();

  it('is sent again under the same name', async () => {
    const { gateway } = held;
    const ran = new Set<string>();
    let losses = 2;
    gateway.routes.set(actionsRoute, (request, response) => {
      ran.add(actionIdOf(request));
      if (losses > 0) {
        losses -= 1;
        return void response.destroy();
      }
      json(response, finished);
    });
    expect(await held.client.session(sessionId).run('make')).toMatchObject({ exitCode: 3 });
    expect(gateway.requests).toHaveLength(3);
    expect(ran.size).toBe(1);
    expect(new Set(gateway.requests.map(({ body }) => String(body))).size).toBe(1);
  });

  it('is sent again when the answer breaks off in the middle', async () => {
    const { gateway } = held;
    gateway.routes.set(actionsRoute, (_request, response) => {
      if (gateway.requests.length > 1) return json(response, finished);
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"observation"', () => response.destroy());
    });
    expect(await held.client.session(sessionId).run('make')).toMatchObject({ exitCode: 3 });
  });

  it('is sent again while the gateway ends and until its successor is there', async () => {
    const { gateway, client } = held;
    gateway.routes.set(actionsRoute, (_request, response) =>
      json(response, { detail: 'The gateway is shutting down' }, 503),
    );
    const result = client.session(sessionId).run('make');
    await expect.poll(() => gateway.requests.length).toBeGreaterThan(0);
    const { port } = gateway;
    await gateway.close();
    const successor = await TestGateway.start(port);
    successor.routes.set(actionsRoute, (_request, response) => json(response, finished));
    expect(await result).toMatchObject({ exitCode: 3 });
    await successor.close();
  });

  it('is given up after a while', async () => {
    const { gateway } = held;
    const client = createClient({ url: gateway.url, key, retryForMs: 200 });
    gateway.routes.set(actionsRoute, (_request, response) => void response.destroy());
    const failure = client.session(sessionId).run('make');
    await expect(failure).rejects.toMatchObject({ code: 'unreachable', status: null });
    expect(gateway.requests.length).toBeGreaterThan(1);
  });

  it('is not sent again when the gateway refuses it', async () => {
    const { gateway } = held;
    gateway.routes.set(actionsRoute, (_request, response) =>
      json(response, { detail: 'The session is paused; resume it first' }, 409),
    );
    const failure = held.client.session(sessionId).run('make');
    await expect(failure).rejects.toMatchObject({
      code: 'conflict',
      status: 409,
      message: 'The session is paused; resume it first',
    });
    expect(gateway.requests).toHaveLength(1);
  });
});
