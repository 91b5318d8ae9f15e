import type { SessionState } from '@fairlead/protocol';
import type { Driver } from '../drivers/driver.ts';
import { takeTurns } from '../drivers/take-turns.ts';
import { GatewayError } from '../gateway-error.ts';
import { SandboxRuntime } from '../runtime/sandbox-runtime.ts';
import type { NewNotice, SessionRecord, Store } from '../store/store.ts';
import type { Directories } from './directories.ts';
import { EventHub } from './event-hub.ts';
import { LiveSession } from './live-session.ts';
import { stored } from './faults.ts';
import type { WatcherQueue } from './watcher-queue.ts';

/** Which sessions there are and in which state: in memory those with a runtime, in the store all. */
export class SessionBook {
  /** By id, so that a session that ends and one of the same id that begins do not meet. Changes of state need it. */
  readonly inTurn = takeTurns();
  readonly #store: Store;
  readonly #directories: Directories;
  readonly #live = new Map<string, LiveSession>();
  /** Let go, with answers that are not recorded yet. */
  readonly #leaving = new Set<LiveSession>();
  /** Also of sessions without a runtime, as long as somebody watches. */
  readonly #hubs = new Map<string, EventHub>();

  constructor(store: Store, directories: Directories) {
    this.#store = store;
    this.#directories = directories;
  }

  get live(): LiveSession[] {
    return [...this.#live.values()];
  }

  findLive(id: string): LiveSession | undefined {
    return this.#live.get(id);
  }

  async find(id: string): Promise<SessionRecord | undefined> {
    const record = this.#live.get(id)?.record ?? (await this.#store.sessions.find(id));
    return record && this.current(record);
  }

  async get(id: string): Promise<SessionRecord> {
    const record = await this.find(id);
    if (record === undefined) throw new GatewayError('not-found', 'There is no such session');
    return record;
  }

  /** With what is known before the store knows it. */
  current(record: SessionRecord): SessionRecord {
    const session = this.#live.get(record.id);
    if (session === undefined) return record;
    return { ...session.record, lastActiveAt: new Date(session.lastActiveMs).toISOString() };
  }

  /** A new session; undefined when its owner has one of that external id already. */
  async add(record: SessionRecord, driver: Driver): Promise<LiveSession | undefined> {
    if (!(await stored(this.#store.sessions.add(record), 'no session was created'))) return undefined;
    const session = await this.open(record, driver);
    try {
      await this.#tellState(session);
    } catch (error) {
      await this.letGo(session);
      await this.#store.sessions.remove(record.id).catch(() => undefined);
      throw error;
    }
    return session;
  }

  /** Makes it live; it may have no runtime yet. */
  async open(record: SessionRecord, driver: Driver): Promise<LiveSession> {
    const hub = await this.#hubOf(record.id);
    const runtime = new SandboxRuntime(this.#directories.socketOf(record.id));
    const session = new LiveSession(record, driver, runtime, hub);
    this.#live.set(record.id, session);
    return session;
  }

  /** The session has no runtime any more. Who still waits for an answer of it learns that the connection is lost. */
  async letGo(session: LiveSession): Promise<void> {
    const { id } = session;
    if (this.#live.get(id) === session) this.#live.delete(id);
    this.#leaving.add(session);
    session.letGo();
    session.hub.detach();
    await session.runtime.close();
    // Their last words are for the watchers too. Nobody waits: they may wait for the turn that the caller has.
    void Promise.allSettled(session.running.values()).then(() => {
      this.#leaving.delete(session);
      this.#forgetUnwatched(id);
    });
  }

  /** Resolves when what was under way in a session that has ended is recorded. */
  async lastWords(id: string): Promise<void> {
    const leaving = [...this.#leaving].filter((session) => session.id === id);
    await Promise.allSettled(leaving.flatMap(({ running }) => [...running.values()]));
  }

  /** Begins to watch; ends with `leave`. */
  async join(id: string): Promise<WatcherQueue> {
    const hub = await this.#hubOf(id);
    // The last watcher may have left meanwhile.
    return this.#hubs.get(id) === hub ? hub.join() : this.join(id);
  }

  leave(id: string, watcher: WatcherQueue): void {
    this.#hubs.get(id)?.leave(watcher);
    this.#forgetUnwatched(id);
  }

  async remove(id: string): Promise<void> {
    await stored(this.#store.sessions.remove(id), 'the session is not deleted');
    this.#hubs.get(id)?.close();
    this.#hubs.delete(id);
  }

  /** The journal first: what cannot be recorded has not come about. */
  async setState(session: LiveSession, state: SessionState, reason: string | null): Promise<void> {
    const isOver = state === 'stopped' || state === 'failed';
    const lastActiveAt = new Date(session.lastActiveMs).toISOString();
    const endedAt = isOver ? new Date().toISOString() : null;
    const changes = { state, reason, endedAt, lastActiveAt };
    await this.#tellState(session, state, reason);
    await stored(this.#store.sessions.update(session.id, changes), `the session is not ${state}`);
    session.change({ ...session.record, ...changes });
  }

  async appendNotice(notice: NewNotice): Promise<void> {
    const seq = await stored(this.#store.journal.appendNotice(notice), 'the notice is not recorded');
    if (seq !== undefined) this.#hubs.get(notice.sessionId)?.recorded(seq);
  }

  async update(id: string, changes: Partial<SessionRecord>): Promise<void> {
    await stored(this.#store.sessions.update(id, changes), 'the session is as it was');
    const session = this.#live.get(id);
    if (session !== undefined) session.record = { ...session.record, ...changes };
  }

  async saveActivity(session: LiveSession): Promise<void> {
    const lastActiveAt = new Date(session.lastActiveMs).toISOString();
    if (session.record.lastActiveAt !== lastActiveAt) await this.update(session.id, { lastActiveAt });
  }

  /** Lets go of everything, without ending any sandbox. */
  async close(): Promise<void> {
    await Promise.all(
      this.live.map(async (session) => {
        // On a full disk some seconds of activity are forgotten.
        await this.saveActivity(session).catch(() => undefined);
        await this.letGo(session);
      }),
    );
    for (const hub of this.#hubs.values()) hub.close();
  }

  async #hubOf(id: string): Promise<EventHub> {
    const known = this.#hubs.get(id);
    if (known !== undefined) return known;
    const lastSeq = await this.#store.journal.lastSeq(id);
    const hub = this.#hubs.get(id) ?? new EventHub(lastSeq);
    this.#hubs.set(id, hub);
    return hub;
  }

  async #tellState(
    { id, hub, record }: LiveSession,
    state: SessionState = record.state,
    reason: string | null = record.reason,
  ): Promise<void> {
    const time = new Date().toISOString();
    const appended = this.#store.journal.appendState(id, time, state, reason);
    hub.recorded(await stored(appended, `the session is not ${state}`));
  }

  #forgetUnwatched(id: string): void {
    if (!this.#live.has(id) && this.#hubs.get(id)?.isWatched === false) this.#hubs.delete(id);
  }
}
