import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createClient } from '@fairlead/client';
import type { Gateway } from '@fairlead/gateway';
import type { ShownPort } from '@fairlead/protocol';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { dockerTags, useDockerEngine } from '../support/docker.ts';
import { dockerImages } from '../support/docker-images.ts';
import { endApp, placeApp } from './support/app.ts';
import type { Caller } from './support/caller.ts';
import { needs } from './support/needs.ts';
import { usePlace } from './support/place.ts';

describe('the ports of a session', needs, () => {
  const place = usePlace();
  let gateway: Gateway;
  let owner: Caller;
  beforeAll(async () => {
    ({ gateway, owner } = await place.start());
  });

  test('are its app ports, and whatever else its processes listen on', async () => {
    const { id, apps } = await owner.create();
    const [one, two] = apps.map(({ number, port, url }) => ({ number, port, url }));
    const closed = { isListening: false, address: null, command: null };
    expect(await ports(owner, id)).toEqual([
      { ...one, ...closed },
      { ...two, ...closed },
    ]);
    const app = await placeApp(place.workspaceOf(id));
    const other = Number((await owner.run(id, app('0', '::'))).content);
    await owner.run(id, app('$APP_PORT_2'));
    const command = expect.stringContaining('app.cjs') as string;
    expect(await ports(owner, id)).toEqual([
      { ...one, ...closed },
      { ...two, isListening: true, address: '127.0.0.1', command },
      {
        number: null,
        port: other,
        url: `${gateway.url}/apps/${id}-p${other}/`,
        isListening: true,
        address: '::',
        command,
      },
    ]);
  });

  test("are not those of other sessions, of the gateway or of the machine's programs", async () => {
    const [mine, other] = await Promise.all([owner.create(), owner.create()]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const app = await placeApp(place.workspaceOf(other.id));
    await owner.run(other.id, app('$APP_PORT_1'));
    const listening = (await ports(owner, mine.id)).filter(({ isListening }) => isListening);
    expect(listening).toEqual([]);
    expect((await ports(owner, other.id)).filter(({ isListening }) => isListening)).toHaveLength(1);
  });

  test('are told live', async () => {
    const { id } = await owner.create();
    const app = await placeApp(place.workspaceOf(id));
    const client = createClient({ url: gateway.url, key: readFileSync(gateway.keyFile, 'utf8').trim() });
    const watched = client.session(id).watchPorts()[Symbol.asyncIterator]();
    const next = async () => {
      const { done, value } = await watched.next();
      return done === true ? 'ended' : value.map(({ isListening }) => isListening);
    };
    expect(await next()).toEqual([false, false]);
    await owner.run(id, app('$APP_PORT_1'));
    expect(await next()).toEqual([true, false]);
    await owner.run(id, endApp);
    expect(await next()).toEqual([false, false]);
    await owner.remove(id);
    expect(await next()).toBe('ended');
  });

  test('are all closed while the session is paused or stopped', async () => {
    const { id } = await owner.create();
    const app = await placeApp(place.workspaceOf(id));
    await owner.run(id, app('$APP_PORT_1'));
    const isListening = async () => (await ports(owner, id))[0]?.isListening;
    expect(await isListening()).toBe(true);
    await owner.change(id, 'pause');
    expect(await isListening()).toBe(false);
    await owner.change(id, 'resume');
    expect(await isListening()).toBe(true);
    await owner.change(id, 'stop');
    expect(await isListening()).toBe(false);
  });

  test('are listed for those who may see the session alone', async () => {
    const { id, key } = await owner.create();
    const tenant = owner.with(await place.addTenant('somebody else'));
    expect((await tenant.call('GET', `/api/sessions/${id}/ports`)).status).toBe(404);
    expect(await ports(owner.with(key), id)).toHaveLength(2);
  });
});

describe('the ports of a container', { tags: dockerTags, timeout: 60_000 }, () => {
  const engine = useDockerEngine();
  const place = usePlace();

  test('are found in its own network', async () => {
    const { owner } = await place.start({ dockerSocket: engine.socket });
    const { id } = await owner.create({ driver: 'docker', image: dockerImages.debian });
    const app = await placeApp(place.workspaceOf(id));
    await owner.run(id, app('$APP_PORT_1', '0.0.0.0'));
    const told = await ports(owner, id);
    expect(told.map(({ isListening, address }) => [isListening, address])).toEqual([
      [true, '0.0.0.0'],
      [false, null],
    ]);
  });
});

async function ports(owner: Caller, id: string): Promise<ShownPort[]> {
  const { status, json, text } = await owner.call('GET', `/api/sessions/${id}/ports`);
  if (status !== 200) throw new Error(`the ports of ${id}: ${status} ${text}`);
  return (json as { ports: ShownPort[] }).ports;
}
