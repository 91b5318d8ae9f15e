import type { CreateSessionRequest, DriverName } from '@fairlead/protocol';
import type { Driver } from '../drivers/driver.ts';
import { GatewayError } from '../gateway-error.ts';
import type { Place } from '../proxy/places.ts';
import type { NewNotice, OwnerRecord, SessionRecord, Store } from '../store/store.ts';
import type { Windows } from '../windows/windows.ts';
import { Actions } from './actions.ts';
import { AppPorts } from './app-ports.ts';
import { Directories } from './directories.ts';
import { driven } from './faults.ts';
import { newSessionId } from './ids.ts';
import { LifeCycle } from './life-cycle.ts';
import { type LiveSession, notRunning } from './live-session.ts';
import { isPlain, newRecord, secondsFrom, type SessionDefaults } from './new-record.ts';
import { SessionBook } from './session-book.ts';
import type {
  ActionAnswer,
  ActionRequest,
  CreateOptions,
  ListFilter,
  SandboxConnection,
  SessionsApi,
} from './sessions-api.ts';
import { Slots, Turns, within } from './turns.ts';
import { WarmPool } from './warm-pool.ts';
import { watch } from './watch.ts';
import { checkWorkspace } from './workspace.ts';

export interface SessionsOptions extends SessionDefaults {
  store: Store;
  stateDir: string;
  drivers: ReadonlyMap<DriverName, Driver>;
  maxSessionsPerOwner: number;
  warmSize: number;
  /** How many sandboxes are started at a time. */
  startsAtOnce: number;
  allowedFolders: string[];
  appPortsPerSession: number;
  windows: Pick<Windows, 'choose'>;
  /** Where browsers reach a place, as far as that is known without any. */
  placeUrl(place: Place): string;
  log(line: string): void;
}

/** For what is being started when the gateway ends. */
const closeLimitMs = 10_000;

/** All sessions of a gateway: makes them, ends them, and hands their actions on. */
export class Sessions implements SessionsApi {
  readonly book: SessionBook;
  readonly directories: Directories;
  readonly actions: Actions;
  readonly appPorts: AppPorts;
  readonly warm: WarmPool;
  readonly lifeCycle: LifeCycle;
  readonly #options: SessionsOptions;
  readonly #store: Store;
  /** One at a time, so that nobody gets in between the count and the session that is counted next. */
  readonly #admissions = new Turns();
  #isClosing = false;

  constructor(options: SessionsOptions) {
    const { store, log } = options;
    const starts = new Slots(options.startsAtOnce);
    this.#options = options;
    this.#store = store;
    this.directories = new Directories(options.stateDir);
    this.book = new SessionBook(store, this.directories);
    this.appPorts = new AppPorts({
      sessions: store.sessions,
      count: options.appPortsPerSession,
      placeUrl: (place) => options.placeUrl(place),
    });
    this.lifeCycle = new LifeCycle({
      book: this.book,
      store,
      directories: this.directories,
      appPorts: this.appPorts,
      folderRules: options,
      starts,
      onUp: (session) => this.actions.resumeUnfinished(session),
      refuseWhenClosing: () => this.#refuseWhenClosing(),
      log,
    });
    this.actions = new Actions({
      journal: store.journal,
      recover: (session) => this.lifeCycle.recover(session),
      log,
    });
    this.warm = new WarmPool({
      // A window is the user's to open.
      size: options.defaultDriver === 'window' ? 0 : options.warmSize,
      driver: this.#driver(options.defaultDriver),
      image: options.defaultDriver === 'docker' ? options.defaultImage : null,
      limits: options.defaultLimits,
      directories: this.directories,
      appPorts: this.appPorts,
      starts,
      log,
    });
  }

  async create(
    owner: OwnerRecord,
    request: CreateSessionRequest,
    { externalId, onProgress = () => undefined, isAwaited = () => true }: CreateOptions = {},
  ): Promise<SessionRecord> {
    this.#refuseWhenClosing();
    const record = newRecord(owner, request, this.#options);
    const wanted = {
      ...record,
      workspace: await checkWorkspace(request.workspace, owner, this.#options),
      externalId: externalId ?? null,
      ...(record.driver === 'window' && this.#options.windows.choose(owner.id, request.window ?? {})),
    };
    const driver = this.#driver(wanted.driver);
    await this.#checkCount(owner);
    const warmId = isPlain(wanted, this.#options) ? await this.warm.take(driver, wanted.image) : undefined;
    const id = warmId ?? newSessionId();
    return this.book.inTurn(id, async () => {
      const session = await this.#admit(owner, { ...wanted, id }, driver).catch(async (error: unknown) => {
        if (warmId !== undefined) await this.warm.discard(warmId);
        this.appPorts.release(id);
        throw error;
      });
      await this.lifeCycle.bringUp(session, {
        onProgress,
        isStarted: warmId !== undefined,
        isForgotten: isAwaited,
      });
      return session.record;
    });
  }

  get(id: string): Promise<SessionRecord> {
    return this.book.get(id);
  }

  async findByExternalId(ownerId: string, externalId: string): Promise<SessionRecord | undefined> {
    const record = await this.#store.sessions.findByExternalId(ownerId, externalId);
    return record && this.book.current(record);
  }

  async list(ownerId: string, filter: ListFilter = {}): Promise<SessionRecord[]> {
    const records = await this.#store.sessions.list({ ownerId, ...filter });
    return records.map((record) => this.book.current(record));
  }

  pause(id: string): Promise<SessionRecord> {
    return this.#change(id, (session) => this.lifeCycle.pause(session));
  }

  async resume(id: string): Promise<SessionRecord> {
    this.#refuseWhenClosing();
    return this.#change(id, async (session) => {
      const { expiresAt, state } = session.record;
      if (state !== 'running' && expiresAt !== null && Date.parse(expiresAt) <= Date.now()) throw tooOld(id);
      await this.lifeCycle.goOn(session);
    });
  }

  async stop(id: string, reason: string): Promise<SessionRecord> {
    this.book.findLive(id)?.abandonStart(reason);
    return this.#change(id, async (session) => {
      if (!isOver(session.record)) await this.lifeCycle.end(session, 'stopped', reason);
    });
  }

  /** Stops it when there is a reason, also when it is its turn: somebody may have begun to work with it. */
  async stopFor(id: string, findReason: (session: LiveSession) => string | undefined): Promise<void> {
    await this.book.inTurn(id, async () => {
      const session = this.book.findLive(id);
      const reason = session && findReason(session);
      if (session === undefined || reason === undefined) return;
      this.#options.log(`stopping the session ${id}: ${reason}`);
      await this.lifeCycle.end(session, 'stopped', reason);
    });
  }

  async remove(id: string): Promise<void> {
    await this.get(id);
    this.book.findLive(id)?.abandonStart('it was deleted');
    await this.book.inTurn(id, () => this.#remove(id));
  }

  /** Removes it unless it has gone on since. */
  async removeEnded(id: string, before: string): Promise<void> {
    await this.book.inTurn(id, async () => {
      const endedAt = (await this.book.find(id))?.endedAt ?? null;
      if (endedAt === null || endedAt > before) return;
      this.#options.log(`deleting the session ${id}: it ended at ${endedAt}`);
      await this.#remove(id);
    });
  }

  async extend(id: string, seconds?: number): Promise<SessionRecord> {
    const { expiresAt } = await this.get(id);
    this.touch(id);
    const now = new Date();
    const wanted = seconds === undefined ? null : secondsFrom(now, seconds);
    const isLater = wanted !== null && expiresAt !== null && wanted > expiresAt;
    await this.book.update(id, { lastActiveAt: now.toISOString(), ...(isLater && { expiresAt: wanted }) });
    return this.get(id);
  }

  touch(id: string): void {
    this.book.findLive(id)?.touch();
  }

  async execute(id: string, request: ActionRequest): Promise<ActionAnswer> {
    this.#refuseWhenClosing();
    const session = this.book.findLive(id);
    const isAsleep = session === undefined || (session.record.state === 'paused' && request.isToWake);
    return isAsleep ? this.#executeAsleep(id, request) : this.actions.execute(session, request);
  }

  async *watch(
    id: string,
    options: { after?: number | undefined; signal: AbortSignal },
  ): AsyncGenerator<string[]> {
    const queue = await this.book.join(id);
    try {
      // Looked for by one who watches already: if it is removed from now on, that ends the watch.
      await this.get(id);
      const { journal } = this.#store;
      const lastSeq = await journal.lastSeq(id);
      if (options.after !== undefined && options.after > lastSeq) {
        throw new GatewayError('bad-request', `after=${options.after} is beyond the last number, ${lastSeq}`);
      }
      yield* watch(journal, id, queue, options);
    } finally {
      this.book.leave(id, queue);
    }
  }

  async connection(id: string): Promise<SandboxConnection> {
    this.#refuseWhenClosing();
    const { runtime } = await this.#running(id);
    return { socketPath: runtime.socketPath, http: runtime.http };
  }

  notice(notice: NewNotice): Promise<void> {
    return this.book.appendNotice(notice);
  }

  /** Refuses what is new, and waits for what runs and what is being started. */
  async drain(limitMs: number): Promise<void> {
    this.#isClosing = true;
    const answers = this.book.live.flatMap((session) => [...session.running.values()]);
    await within(limitMs, Promise.allSettled([...answers, this.book.inTurn.settled()]));
  }

  /** Lets go of the sandboxes without ending them: a later gateway takes them up. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const session of this.book.live) session.abandonStart('the gateway is shutting down');
    await Promise.all([this.warm.close(), within(closeLimitMs, this.book.inTurn.settled())]);
    await this.book.close();
  }

  /** Changes the state of a session in its turn. One without a runtime that does not get one is let go again. */
  #change(id: string, work: (session: LiveSession) => Promise<void>): Promise<SessionRecord> {
    return this.book.inTurn(id, async () => {
      const record = await this.get(id);
      const session = this.book.findLive(id) ?? (await this.book.open(record, this.#driver(record.driver)));
      try {
        await work(session);
      } finally {
        if (session.isLive && isOver(session.record)) await this.book.letGo(session);
      }
      return this.book.current(session.record);
    });
  }

  async #admit(owner: OwnerRecord, record: SessionRecord, driver: Driver): Promise<LiveSession> {
    const session = await this.#admissions.take(async () => {
      this.#refuseWhenClosing();
      await this.#checkCount(owner);
      const appPorts = record.windowId === null ? await this.appPorts.reserve(record.id) : [];
      return this.book.add({ ...record, appPorts }, driver);
    });
    if (session !== undefined) return session;
    throw new GatewayError(
      'conflict',
      `There is a session "${record.externalId}" already; use it or delete it`,
    );
  }

  /** The caller has the session's turn. */
  async #remove(id: string): Promise<void> {
    const record = await this.book.find(id);
    if (record === undefined) return;
    const session = this.book.findLive(id);
    if (session !== undefined) await this.lifeCycle.end(session, 'stopped', 'it was deleted');
    // Also a session that was stopped may have left something.
    await driven(this.#driver(record.driver).stop(id));
    await this.book.remove(id);
    this.appPorts.release(id);
    await this.directories.remove(id).catch((error: Error) => {
      throw new GatewayError(
        'runtime-failed',
        `The session is deleted, but not all of its files (${error.message}); the next start of the gateway tries again`,
      );
    });
  }

  async #executeAsleep(id: string, request: ActionRequest): Promise<ActionAnswer> {
    const { state } = await this.get(id);
    await this.book.lastWords(id);
    const known = await this.actions.recall(id, request);
    const observationJson = known?.observationJson ?? null;
    if (known !== undefined && observationJson !== null)
      return { actionId: known.actionId, observationJson, isReplay: true };
    if (request.isToWake && (state === 'paused' || state === 'stopped')) {
      await this.resume(id);
      return this.execute(id, { ...request, isToWake: false });
    }
    throw known === undefined ? notRunning(id, state) : unsettled(id, state);
  }

  async #running(id: string): Promise<LiveSession> {
    const session = this.book.findLive(id);
    if (session === undefined) throw notRunning(id, (await this.get(id)).state);
    session.refuseUnlessRunning();
    return session;
  }

  async #checkCount(owner: OwnerRecord): Promise<void> {
    const { maxSessionsPerOwner } = this.#options;
    if ((await this.#store.sessions.count(owner.id)) < maxSessionsPerOwner) return;
    throw new GatewayError(
      'limit-reached',
      `You have ${maxSessionsPerOwner} sessions, the most this gateway allows; delete some`,
    );
  }

  #driver(name: DriverName): Driver {
    const driver = this.#options.drivers.get(name);
    if (driver !== undefined) return driver;
    throw new GatewayError('bad-request', `This gateway has no driver "${name}"`);
  }

  #refuseWhenClosing(): void {
    if (this.#isClosing)
      throw new GatewayError('shutting-down', 'The gateway is shutting down; try again in a moment');
  }
}

function isOver({ state }: SessionRecord): boolean {
  return state === 'stopped' || state === 'failed';
}

/** Its runtime, if it has it again, may know. */
function unsettled(id: string, state: string): GatewayError {
  const remedy = `POST /api/sessions/${id}/resume and send it again with the same key: it is not run again`;
  return new GatewayError(
    'wrong-state',
    `The session is ${state} and what became of this action is not known; ${remedy}`,
  );
}

function tooOld(id: string): GatewayError {
  const remedy = `POST /api/sessions/${id}/extend with "seconds" first`;
  return new GatewayError('wrong-state', `The session has reached its maximum age; ${remedy}`);
}
