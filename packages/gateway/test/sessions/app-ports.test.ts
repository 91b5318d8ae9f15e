import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { AppPorts, type AppPortsOptions } from '../../src/sessions/app-ports.ts';
import { placePrefix } from '../../src/proxy/places.ts';
import type { SessionRecord } from '../../src/store/store.ts';
import { session } from '../store/support/records.ts';
import { setStage } from './support/stage.ts';

const id = 's0000000000000000001';

test('every session gets ports of its own, and the same when it asks again', async () => {
  const ports = appPorts({ count: 3 });
  const [one, other] = await Promise.all([ports.reserve('one'), ports.reserve('other')]);
  expect(new Set([...one, ...other]).size).toBe(6);
  expect(await ports.reserve('one')).toEqual(one);
});

test('ports of sessions that are there already, or that somebody listens on, are left to them', async () => {
  const first = await threeFreePorts();
  await listen(first + 1, '127.0.0.1');
  const range = { first, last: first + 2 };
  const ports = appPorts({ count: 1, range }, [session(id, 'ann', { appPorts: [first] })]);
  expect(await ports.reserve('new')).toEqual([first + 2]);
  expect(await ports.reserve(id)).toEqual([first]);
});

test('when none is left that is said, and nothing is kept; those of a session that is gone can be had again', async () => {
  const first = await threeFreePorts();
  const ports = appPorts({ count: 2, range: { first, last: first + 2 } });
  await ports.reserve('one');
  await expect(ports.reserve('two')).rejects.toMatchObject({
    code: 'limit-reached',
    message: `No app ports are left from ${first} to ${first + 2}; delete sessions that are not needed any more`,
  });
  ports.release('one');
  expect(await ports.reserve('two')).toHaveLength(2);
});

test('a session is told its ports and their addresses, and a template for all others', () => {
  expect(appPorts({ count: 2 }).environmentOf(id, [20_001, 20_007])).toEqual({
    APP_PORT_1: '20001',
    APP_URL_1: `http://my-p1.example/apps/${id}-1/`,
    APP_PORT_2: '20007',
    APP_URL_2: `http://my-p1.example/apps/${id}-2/`,
    VSCODE_PROXY_URI: `http://my-p1.example/apps/${id}-p{{port}}/`,
  });
});

test('a session has its ports from creation to deletion, also when it is stopped meanwhile', async () => {
  const { create, sessions, driver } = await setStage({ appPortsPerSession: 2 });
  const { id, appPorts: ports } = await create({ env: { APP_PORT_1: '1', MINE: 'yes' } });
  expect(ports).toHaveLength(2);
  expect(driver.specs.at(-1)?.env).toMatchObject({ APP_PORT_1: String(ports[0]), MINE: 'yes' });
  await sessions.stop(id, 'for a while');
  expect((await sessions.resume(id)).appPorts).toEqual(ports);
  expect(driver.specs.at(-1)?.env).toMatchObject({ APP_PORT_2: String(ports[1]) });
  expect(await sessions.appPorts.reserve(id)).toEqual(ports);
  await sessions.remove(id);
  expect(await sessions.appPorts.reserve(id)).not.toEqual(ports);
});

test('a session from a time without app ports gets some when it goes on', async () => {
  const { create, sessions, store } = await setStage({ appPortsPerSession: 1 });
  const { id } = await create();
  await sessions.stop(id, 'for a while');
  await store.sessions.update(id, { appPorts: [] });
  const { appPorts: ports } = await sessions.resume(id);
  expect(ports).toHaveLength(1);
  expect((await store.sessions.find(id))?.appPorts).toEqual(ports);
});

function appPorts(options: Partial<AppPortsOptions>, records: SessionRecord[] = []): AppPorts {
  return new AppPorts({
    sessions: { list: () => Promise.resolve(records) },
    count: 2,
    placeUrl: (place) => `http://my-p1.example${placePrefix(place, '')}/`,
    ...options,
  });
}

/** The first of three beside each other. */
async function threeFreePorts(): Promise<number> {
  for (let first = 31_000; first < 32_700; first += 3) {
    const tries = await Promise.allSettled([0, 1, 2].map((step) => listen(first + step, '::')));
    for (const tried of tries) if (tried.status === 'fulfilled') await tried.value();
    if (tries.every(({ status }) => status === 'fulfilled')) return first;
  }
  throw new Error('there are no three free ports beside each other');
}

async function listen(port: number, host: string): Promise<() => Promise<void>> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, resolve);
  });
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  onTestFinished(close);
  return close;
}
