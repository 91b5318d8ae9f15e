import type { DriverName } from '@fairlead/protocol';
import type { Driver, SandboxStatus } from '../drivers/driver.ts';
import type { SessionRecord, Store } from '../store/store.ts';
import type { Sessions } from './sessions.ts';

export interface AdoptOptions {
  store: Store;
  drivers: ReadonlyMap<DriverName, Driver>;
  sessions: Sessions;
  log(line: string): void;
}

/** Takes up what an earlier gateway left: sessions whose sandboxes still run, and sandboxes that nobody owns. */
export async function adoptSessions(options: AdoptOptions): Promise<void> {
  const { store, drivers, sessions } = options;
  const records = await store.sessions.list({ states: ['starting', 'running', 'paused'] });
  await Promise.all(records.map((record) => adopt(record, options)));
  const all = await store.sessions.list();
  const owned = new Set(sessions.book.live.map(({ id }) => id));
  for (const driver of drivers.values()) {
    const isUsed = all.some((record) => record.driver === driver.name);
    await reap(driver, owned, { log: options.log, isUsed });
  }
  await removeUnknown(new Set(all.map(({ id }) => id)), options);
}

async function adopt(record: SessionRecord, options: AdoptOptions): Promise<void> {
  const { sessions, drivers, log } = options;
  const driver = drivers.get(record.driver)!;
  const session = await sessions.book.open(record, driver);
  await sessions.lifeCycle.adopt(session);
  const found = await find(record, driver);
  if (typeof found === 'object') {
    await sessions.book.setState(session, found.state, found.reason);
    await sessions.actions.giveUpUnfinished(session, found.reason);
    return sessions.book.letGo(session);
  }
  if (record.state !== found) await sessions.book.setState(session, found, 'the gateway was started again');
  if (found === 'running') await session.hub.attach(session.runtime);
  await sessions.actions.resumeUnfinished(session);
  log(`session ${record.id} goes on`);
}

type Found = Exclude<SandboxStatus, 'gone' | 'away'> | { state: 'stopped' | 'failed'; reason: string };

async function find({ id, state }: SessionRecord, driver: Driver): Promise<Found> {
  try {
    if (state === 'starting') {
      await driver.stop(id);
      return { state: 'failed', reason: 'the gateway ended while the session was starting; resume it' };
    }
    const status = await driver.status(id);
    if (status === 'away') return 'running';
    if (status !== 'gone') return status;
    return { state: 'stopped', reason: 'its sandbox ended while no gateway was running' };
  } catch (error) {
    return { state: 'failed', reason: (error as Error).message };
  }
}

async function reap(
  driver: Driver,
  owned: Set<string>,
  { log, isUsed }: { log(line: string): void; isUsed: boolean },
): Promise<void> {
  const ids = await driver.list().catch((error: Error) => {
    // A driver that cannot work here and never had a session has left nothing either.
    if (isUsed) log(`cannot look for sandboxes of the driver ${driver.name}: ${error.message}`);
    return [];
  });
  const orphans = ids.filter((id) => !owned.has(id));
  await Promise.all(
    orphans.map(async (id) => {
      log(`ending the sandbox ${id}, which no session owns`);
      await driver.stop(id).catch((error: Error) => log(`the sandbox ${id} is left: ${error.message}`));
    }),
  );
}

async function removeUnknown(known: Set<string>, { sessions, log }: AdoptOptions): Promise<void> {
  for (const id of await sessions.directories.list()) {
    if (known.has(id)) continue;
    await sessions.directories.remove(id).catch((error: Error) => {
      log(`cannot remove the files of the session ${id}, which is gone: ${error.message}`);
    });
  }
}
