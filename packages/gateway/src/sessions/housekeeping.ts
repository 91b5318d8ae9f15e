import type { Store } from '../store/store.ts';
import type { LiveSession } from './live-session.ts';
import type { Sessions } from './sessions.ts';

export interface HousekeepingOptions {
  store: Store;
  sessions: Sessions;
  /** Ended sessions, and records of the journal, are kept this long. */
  retentionSeconds: number;
  log(line: string): void;
}

const sessionsEveryMs = 1_000;
/** Well within a sandbox's lease. */
const pingEveryMs = 30_000;
const pingLimitMs = 10_000;
/** How often is looked for what is to be forgotten: a part of the time that it is kept. */
const pruneEvery = { part: 0.1, leastMs: 1_000, mostMs: 600_000 };

/** What has to be done from time to time: ending idle and old sessions, keeping leases, forgetting. */
export function keepHouse(options: HousekeepingOptions): { close(): Promise<void> } {
  const pruneEveryMs = options.retentionSeconds * 1000 * pruneEvery.part;
  const chores = [
    repeat(sessionsEveryMs, () => endOverdue(options), options.log),
    repeat(pingEveryMs, () => ping(options), options.log),
    repeat(
      Math.min(Math.max(pruneEveryMs, pruneEvery.leastMs), pruneEvery.mostMs),
      () => forget(options),
      options.log,
    ),
  ];
  return { close: async () => void (await Promise.all(chores.map((chore) => chore.close()))) };
}

async function endOverdue({ sessions }: HousekeepingOptions): Promise<void> {
  const overdue = sessions.book.live.filter((session) => whyOver(session) !== undefined);
  await Promise.all(overdue.map(({ id }) => sessions.stopFor(id, whyOver)));
}

function whyOver({ record, lastActiveMs, running }: LiveSession): string | undefined {
  const { state, expiresAt, idleTimeoutSeconds } = record;
  if (state !== 'running' && state !== 'paused') return undefined;
  const now = Date.now();
  if (expiresAt !== null && Date.parse(expiresAt) <= now) return 'it has reached its maximum age';
  const isIdle = running.size === 0 && now - lastActiveMs > idleTimeoutSeconds * 1000;
  return isIdle && state === 'running' ? `it was idle for ${idleTimeoutSeconds} seconds` : undefined;
}

/** A sandbox that hears of no gateway ends itself; one that does not answer is brought back. */
async function ping({ sessions }: HousekeepingOptions): Promise<void> {
  await sessions.warm.refresh();
  await Promise.all(
    sessions.book.live.map(async (session) => {
      await sessions.book.saveActivity(session);
      if (!session.isRunning) return;
      // What waits for it has its own patience.
      if ((await session.driver.status(session.id)) === 'away') return;
      if (!(await session.runtime.isAlive(pingLimitMs))) await sessions.lifeCycle.recover(session);
      if (session.isRunning) await sessions.actions.resumeUnfinished(session);
    }),
  );
}

async function forget({ store, sessions, retentionSeconds }: HousekeepingOptions): Promise<void> {
  const now = new Date();
  const before = new Date(now.getTime() - retentionSeconds * 1000).toISOString();
  await store.logins.removeExpired(now.toISOString());
  for (const { id } of await store.sessions.list({ states: ['stopped', 'failed'] }))
    await sessions.removeEnded(id, before);
  await store.journal.removeBefore(before);
}

/** One after the other: a slow round delays the next one. */
function repeat(
  everyMs: number,
  work: () => Promise<void>,
  log: (line: string) => void,
): { close(): Promise<void> } {
  let isClosed = false;
  let current: Promise<void> = Promise.resolve();
  let timer = setTimeout(round, everyMs);

  function round(): void {
    current = work()
      .catch((error: Error) => log(`housekeeping: ${error.message}`))
      .finally(() => {
        if (!isClosed) timer = setTimeout(round, everyMs);
      });
  }

  return {
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await current;
    },
  };
}
