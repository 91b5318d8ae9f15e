import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createSessionRequest, type DriverName } from '@fairlead/protocol';
import { prepareSandboxBundle } from '@fairlead/sandbox/bundle';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { newOwner } from '../../packages/gateway/src/auth/owners.ts';
import { openDockerDriver } from '../../packages/gateway/src/drivers/docker/docker-driver.ts';
import type { Driver } from '../../packages/gateway/src/drivers/driver.ts';
import { openLocalDriver } from '../../packages/gateway/src/drivers/local/local-driver.ts';
import { type Place, placePrefix } from '../../packages/gateway/src/proxy/places.ts';
import { connectTo } from '../../packages/gateway/src/proxy/target.ts';
import { Sessions } from '../../packages/gateway/src/sessions/sessions.ts';
import { openSqliteStore } from '../../packages/gateway/src/store/sqlite-store.ts';
import type { SessionRecord, Store } from '../../packages/gateway/src/store/store.ts';
import { openSessionPlaces } from '../../packages/gateway/src/web/open-session-places.ts';
import type { SessionPlaces } from '../../packages/gateway/src/web/session-places.ts';
import { Windows } from '../../packages/gateway/src/windows/windows.ts';
import { installTestEditor, testEditor, testEditorVersion } from '../drivers/support/test-editor.ts';
import { dockerTags, useDockerEngine } from '../support/docker.ts';
import { dockerImages } from '../support/docker-images.ts';
import { endApp, placeApp } from './support/app.ts';
import { needs } from './support/needs.ts';
import { until } from './support/wait.ts';

describe('the places of a local session', needs, () => {
  describePlaces('local', async (stateDir) =>
    openLocalDriver({
      stateDir,
      bundle: await prepareSandboxBundle(),
      isolation: 'bubblewrap',
      editor: testEditor(stateDir),
    }),
  );
});

describe('the places of a session in a container', { tags: dockerTags, timeout: 60_000 }, () => {
  const engine = useDockerEngine();
  describePlaces('docker', async (stateDir) =>
    openDockerDriver({
      bundle: await prepareSandboxBundle(),
      gatewayId: stateDir.slice(-6).toLowerCase(),
      defaultImage: dockerImages.debian,
      dockerSocket: engine.socket,
      editor: testEditor(stateDir),
    }),
  );
});

function describePlaces(name: DriverName, open: (stateDir: string) => Promise<Driver>): void {
  const owner = newOwner('owner', 'operator');
  let ownPort: number | undefined;
  let stateDir: string;
  let store: Store;
  let driver: Driver;
  let sessions: Sessions;
  let places: SessionPlaces;
  let session: SessionRecord;

  beforeAll(async () => {
    stateDir = mkdtempSync(join(tmpdir(), 'fg-'));
    await installTestEditor({ stateDir, giveAway: () => undefined });
    store = openSqliteStore(join(stateDir, 'fairlead.db'));
    await store.owners.add(owner);
    driver = await open(stateDir);
    sessions = new Sessions({
      store,
      stateDir,
      drivers: new Map([[name, driver]]),
      defaultDriver: name,
      defaultImage: dockerImages.debian,
      defaultLimits: {},
      idleTimeoutSeconds: 1_800,
      maxAgeSeconds: null,
      maxSessionsPerOwner: 10,
      warmSize: 0,
      startsAtOnce: 2,
      allowedFolders: [],
      appPortsPerSession: 2,
      windows: new Windows(),
      placeUrl: (place) => placePrefix(place, ''),
      log: () => undefined,
    });
    places = openSessionPlaces({ sessions, isOwnPort: (port) => port === ownPort });
    session = await create();
  }, 60_000);

  afterAll(async () => {
    for (const { id } of await sessions.list(owner.id)) await sessions.remove(id);
    await sessions.close();
    await driver.close();
    store.close();
    rmSync(stateDir, { recursive: true, force: true });
  }, 60_000);

  test('an app is reached by its number and by its port, once it listens and as long as it does', async () => {
    const { id, appPorts } = session;
    const byNumber = await places.target({ kind: 'numbered-app', sessionId: id, number: 2 });
    const byPort = await places.target({ kind: 'app', sessionId: id, port: appPorts[1]! });
    expect(byNumber.absentPage).toMatchObject({
      status: 503,
      lines: [expect.stringContaining('$APP_PORT_2')],
    });
    await expect(connectTo(byNumber)).rejects.toThrow('Nothing listens there');
    const app = await appOf(session);
    await run(id, app('$APP_PORT_2'));
    expect(await get(byNumber, '/one')).toBe('/workspace/one');
    expect(await get(byPort, '/other')).toBe('/workspace/other');
    await run(id, endApp);
    await expect(connectTo(byNumber)).rejects.toThrow('Nothing listens there');
  });

  // Containers have no ::1.
  test.for(['127.0.0.1', '0.0.0.0', '::', ...(name === 'local' ? ['::1'] : [])])(
    'an app on %s is reached',
    async (host) => {
      const app = await appOf(session);
      const port = Number(await run(session.id, app('0', host)));
      expect(await get(await places.target({ kind: 'app', sessionId: session.id, port }))).toBe(
        '/workspace/',
      );
      await run(session.id, endApp);
    },
  );

  test("no other session's app is reached, nor any other port of the machine", async () => {
    const other = await create();
    const app = await appOf(other);
    const port = Number(await run(other.id, app('0', '0.0.0.0')));
    const ofMachine = await listen();
    for (const foreign of [port, ofMachine, 22, 2375]) {
      const target = await places.target({ kind: 'app', sessionId: session.id, port: foreign });
      await expect(connectTo(target)).rejects.toThrow('Nothing listens there');
    }
    expect(await get(await places.target({ kind: 'app', sessionId: other.id, port }))).toBe('/workspace/');
  });

  test("the gateway's own port leads to no local session, whatever that says of it", async () => {
    const app = await appOf(session);
    const port = Number(await run(session.id, app('0')));
    ownPort = port;
    const target = await places.target({ kind: 'app', sessionId: session.id, port });
    if (name === 'local') await expect(connectTo(target)).rejects.toThrow('Nothing listens there');
    else expect(await get(target)).toBe('/workspace/');
    await run(session.id, endApp);
  });

  test('the editor is started by a visit, and reached then', async () => {
    const editor: Place = { kind: 'editor', sessionId: session.id };
    const target = await places.target(editor);
    await expect(connectTo(target)).rejects.toThrow('Nothing listens there');
    const visited = await until(async () => {
      const state = await places.visitEditor(session.id);
      return state.state === 'starting' ? undefined : state;
    }, 'the editor');
    expect(visited).toMatchObject({
      state: 'running',
      product: 'code-server',
      folder: '/workspace',
      token: null,
    });
    expect(await get(target, '/version')).toBe(testEditorVersion);
  });

  test('what passes through keeps the session from being idle', async () => {
    const { id } = session;
    const { touch } = await places.target({ kind: 'numbered-app', sessionId: id, number: 1 });
    const { lastActiveAt } = await sessions.get(id);
    await until(() => new Date().toISOString() > lastActiveAt, 'another millisecond');
    touch();
    expect((await sessions.get(id)).lastActiveAt > lastActiveAt).toBe(true);
  });

  test('there is no place in a session that does not run, or does not exist; one that goes on has them again', async () => {
    const { id } = await create();
    const place: Place = { kind: 'numbered-app', sessionId: id, number: 1 };
    const target = await places.target(place);
    const third: Place = { kind: 'numbered-app', sessionId: id, number: 3 };
    await expect(places.target(third)).rejects.toMatchObject({ code: 'not-found' });
    await sessions.pause(id);
    await expect(places.target(place)).rejects.toMatchObject({ code: 'wrong-state' });
    await expect(connectTo(target)).rejects.toThrow('Nothing listens there');
    await sessions.stop(id, 'for a while');
    await expect(places.target(place)).rejects.toMatchObject({ code: 'wrong-state' });
    await expect(places.visitEditor(id)).rejects.toMatchObject({ code: 'wrong-state' });
    const app = await appOf(await sessions.resume(id));
    await run(id, app('$APP_PORT_1'));
    // The connections that are kept go by the first target that there was.
    expect(await get(target)).toBe('/workspace/');
    await sessions.remove(id);
    await expect(places.target(place)).rejects.toMatchObject({ code: 'not-found' });
  });

  async function create(): Promise<SessionRecord> {
    return sessions.create(owner, createSessionRequest.parse({}));
  }

  function appOf({ id }: SessionRecord) {
    return placeApp(sessions.directories.of(id).workspace);
  }

  async function run(id: string, command: string): Promise<string> {
    const event = { action: 'run', args: { command, blocking: true }, timeout: 30 };
    const { observationJson } = await sessions.execute(id, { event, bodyHash: command });
    return (JSON.parse(observationJson) as { content: string }).content;
  }
}

type Target = Awaited<ReturnType<SessionPlaces['target']>>;

async function get(target: Target, path = '/'): Promise<string> {
  const connection = await connectTo(target);
  return new Promise((resolve, reject) => {
    const asked = request({ path, headers: { connection: 'close' }, createConnection: () => connection });
    asked.on('response', (response) => void text(response).then(resolve, reject));
    asked.on('error', reject);
    asked.end();
  });
}

/** A server of the machine itself. */
async function listen(): Promise<number> {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
