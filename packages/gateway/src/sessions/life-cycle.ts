import type { SandboxSpec } from '../drivers/driver.ts';
import { GatewayError } from '../gateway-error.ts';
import type { SessionRecord, Store } from '../store/store.ts';
import type { AppPorts } from './app-ports.ts';
import { clone } from './clone.ts';
import type { Directories } from './directories.ts';
import { driven } from './faults.ts';
import { readGitAddress } from './git-address.ts';
import type { LiveSession } from './live-session.ts';
import { recover, refusalToRestart } from './recovery.ts';
import type { SessionBook } from './session-book.ts';
import type { Slots } from './turns.ts';
import { checkWorkspace, type FolderRules } from './workspace.ts';

export interface LifeCycleOptions {
  book: SessionBook;
  store: Store;
  directories: Directories;
  appPorts: AppPorts;
  folderRules: FolderRules;
  starts: Slots;
  /** The session has a runtime: what an earlier one did not come to tell is asked for. */
  onUp(session: LiveSession): Promise<void>;
  /** Throws when this gateway is about to leave the sandboxes to its successor. */
  refuseWhenClosing(): void;
  log(line: string): void;
}

interface Start {
  onProgress?(text: string): void;
  /** A sandbox that was started in advance is there. */
  isStarted?: boolean;
  /** Whether nothing is to stay of the session when it gets no sandbox. */
  isForgotten?(): boolean;
}

/** Starts, stills and ends the sandbox of a session, and keeps its state true. But for `recover` the caller has its turn. */
export class LifeCycle {
  readonly #options: LifeCycleOptions;

  constructor(options: LifeCycleOptions) {
    this.#options = options;
  }

  /** To `running`, or to `failed` with the reason, or to nothing. */
  async bringUp(
    session: LiveSession,
    { onProgress = () => undefined, isStarted = false, isForgotten = () => false }: Start = {},
  ): Promise<void> {
    const { book, onUp, log } = this.#options;
    let hasSandbox = isStarted;
    try {
      if (session.record.state !== 'starting') await book.setState(session, 'starting', null);
      if (!hasSandbox) await this.#start(session, onProgress);
      hasSandbox = true;
      await this.#fill(session, onProgress);
      await session.hub.attach(session.runtime);
      session.abandoned.throwIfAborted();
      session.touch();
      await book.setState(session, 'running', null);
    } catch (error) {
      const isToForget = !hasSandbox && !session.abandoned.aborted && isForgotten();
      throw (isToForget && (await this.#forget(session, error))) || (await this.#endStart(session, error));
    }
    // It runs; what fails here is asked for again later.
    await onUp(session).catch((error: Error) => log(`session ${session.id}: ${error.message}`));
  }

  async pause(session: LiveSession): Promise<void> {
    if (session.record.windowId !== null) throw cannotPauseWindow();
    if (session.record.state === 'paused') return;
    if (session.record.state !== 'running') throw cannotPause(session.record.state);
    await driven(session.driver.pause(session.id));
    try {
      await this.#options.book.setState(session, 'paused', null);
    } catch (error) {
      await driven(session.driver.resume(session.id));
      throw error;
    }
    session.hub.freeze();
  }

  /** From wherever it is to `running`. */
  async goOn(session: LiveSession): Promise<void> {
    const { driver, id } = session;
    const { state } = session.record;
    if (state === 'running') return;
    if (state !== 'paused' || (await driven(driver.status(id))) === 'gone') {
      await this.#checkStart(session);
      return this.bringUp(session);
    }
    session.touch();
    await this.#options.book.setState(session, 'running', null);
    try {
      await driven(driver.resume(id));
    } catch (error) {
      // It may have ended at this moment.
      if ((await driven(driver.status(id))) === 'gone') return this.bringUp(session);
      await this.#options.book.setState(session, 'paused', null);
      throw error;
    }
    await session.hub.attach(session.runtime);
  }

  /** Ends the sandbox and keeps the rest. */
  async end(session: LiveSession, state: 'stopped' | 'failed', reason: string): Promise<void> {
    session.isEnding = true;
    try {
      await driven(session.driver.stop(session.id, reason));
      await this.#options.book.setState(session, state, reason);
    } finally {
      session.isEnding = false;
    }
    await this.#options.book.letGo(session);
  }

  /** Of an earlier gateway; how it is now is the driver's to tell. */
  async adopt({ record, driver }: LiveSession): Promise<void> {
    await driver.adopt?.(await this.#spec(record));
  }

  /** False when the session has ended. */
  recover(session: LiveSession): Promise<boolean> {
    return recover(session, {
      restart: (live, why) => this.#options.book.inTurn(live.id, () => this.#restart(live, why)),
      refuseWhenClosing: () => this.#options.refuseWhenClosing(),
    });
  }

  async #start(
    { record, driver, abandoned }: LiveSession,
    onProgress: (text: string) => void,
  ): Promise<void> {
    const { directories, starts } = this.#options;
    const spec = await this.#spec(await this.#withAppPorts(record));
    await (spec.window === undefined
      ? directories.make(record.id, spec.directories)
      : directories.makeRun(record.id));
    await driver.obtain?.(spec, onProgress, abandoned);
    await starts.use(async () => {
      abandoned.throwIfAborted();
      await driver.start(spec, onProgress);
    });
  }

  async #fill(
    { record, runtime, abandoned }: LiveSession,
    onProgress: (text: string) => void,
  ): Promise<void> {
    const { directories } = this.#options;
    const { id, workspace: source } = record;
    if (source.kind !== 'git' || (await directories.isFilled(id))) return;
    onProgress(`cloning ${readGitAddress(source.url).address}`);
    await clone(runtime, { source, directory: directories.of(id).workspace, signal: abandoned });
    await directories.markFilled(id);
  }

  /** What the caller is told; undefined when it could not be forgotten. */
  async #forget(session: LiveSession, error: unknown): Promise<GatewayError | undefined> {
    const { book, directories, log } = this.#options;
    const { id, driver } = session;
    const tell = (fault: Error) => log(`session ${id}: ${fault.message}`);
    // What cannot be ended now, the next gateway ends: no session owns it.
    await driver.stop(id).catch(tell);
    try {
      await book.remove(id);
    } catch (fault) {
      tell(fault as Error);
      return undefined;
    }
    await book.letGo(session);
    await directories.remove(id).catch(tell);
    const reason = (error as Error).message;
    log(`the session ${id} could not be started and is forgotten: ${reason}`);
    return new GatewayError('runtime-failed', `The session could not be started: ${reason}`);
  }

  /** What the caller is told. */
  async #endStart(session: LiveSession, error: unknown): Promise<GatewayError> {
    const { book, log } = this.#options;
    const { id, abandoned } = session;
    const reason = abandoned.aborted ? String(abandoned.reason) : (error as Error).message;
    try {
      // A window that was not there, or whose user said no, may be asked again.
      const isOver = abandoned.aborted || session.record.windowId !== null;
      await this.end(session, isOver ? 'stopped' : 'failed', reason);
    } catch (fault) {
      log(`session ${id}: ${(fault as Error).message}`);
      // Whatever is left of it, it is not on its way any more.
      await book.setState(session, 'failed', reason).catch(() => undefined);
      await book.letGo(session);
    }
    if (abandoned.aborted)
      return new GatewayError('wrong-state', `The session ${id} was ended while it was starting: ${reason}`);
    if (error instanceof GatewayError && error.code === 'store-failed') return error;
    return new GatewayError('runtime-failed', `The session ${id} could not be started: ${reason}`);
  }

  async #restart(session: LiveSession, why: string): Promise<void> {
    const { book, log, refuseWhenClosing } = this.#options;
    const { driver, id } = session;
    // While this waited for its turn, somebody may have ended, stilled or mended it.
    if (!session.isRunning) return;
    if ((await driven(driver.status(id))) === 'running' && (await session.runtime.isAlive(1_000))) return;
    refuseWhenClosing();
    if (session.record.windowId !== null) return this.end(session, 'stopped', why);
    const tooOften = refusalToRestart(session);
    if (tooOften !== undefined) return this.end(session, 'failed', `${why} ${tooOften}`);
    log(`session ${id}: ${why}; starting it again`);
    try {
      // One that does not answer is there still.
      await driver.stop(id);
      await driver.start(await this.#spec(session.record), () => undefined);
    } catch (error) {
      refuseWhenClosing();
      return this.end(
        session,
        'failed',
        `${why} and could not be started again: ${(error as Error).message}`,
      );
    }
    await session.hub.attach(session.runtime);
    const lost = 'what ran in it is lost, its files are not';
    await book.setState(session, 'running', `${why} and was started again: ${lost}`);
  }

  /** One that was made when there were none to have gets them now. */
  async #withAppPorts(record: SessionRecord): Promise<SessionRecord> {
    const { appPorts, book } = this.#options;
    if (record.windowId !== null || record.appPorts.length > 0 || appPorts.count === 0) return record;
    const changes = { appPorts: await appPorts.reserve(record.id) };
    await book.update(record.id, changes);
    return { ...record, ...changes };
  }

  /** Looks at a given folder each time: what was there once may be a link to somewhere else now. */
  async #spec(record: SessionRecord): Promise<SandboxSpec> {
    const { store, directories, folderRules, appPorts } = this.#options;
    const { id, ownerId, workspace, image, limits } = record;
    if (record.windowId !== null) return this.#windowSpec(record, record.windowId);
    const env = { ...record.env, ...appPorts.environmentOf(id, record.appPorts) };
    if (workspace.kind !== 'folder') return { id, directories: directories.of(id), image, env, limits };
    const owner = await store.owners.find(ownerId);
    const checked = owner && (await checkWorkspace(workspace, owner, folderRules));
    const isSame = checked?.kind === 'folder' && checked.path === workspace.path;
    if (!isSame) throw new GatewayError('not-allowed', `${workspace.path} is not the folder it was`);
    return { id, directories: directories.of(id, workspace.path), image, env, limits };
  }

  async #windowSpec(record: SessionRecord, windowId: string): Promise<SandboxSpec> {
    const { store, directories } = this.#options;
    const { id, ownerId, windowFolder: folder, env, limits, createdAt } = record;
    const owner = (await store.owners.find(ownerId))?.name ?? ownerId;
    const window = { ownerId, windowId, folder, agent: agentName(record), owner, createdAt };
    return { id, directories: directories.of(id), image: null, env, limits, window };
  }

  /** What cannot begin stays as it is. */
  async #checkStart({ record, driver, id }: LiveSession): Promise<void> {
    if (driver.check === undefined) return;
    await driver.check(await this.#spec(record)).catch((error: Error) => {
      throw new GatewayError('wrong-state', `The session ${id} cannot go on: ${error.message}`);
    });
  }
}

/** How its user knows the agent of a session. */
function agentName({ id, labels }: SessionRecord): string {
  return labels['agent'] ?? labels['name'] ?? id.slice(0, 4);
}

function cannotPauseWindow(): GatewayError {
  return new GatewayError(
    'wrong-state',
    "A session in a VS Code window cannot be paused, because what runs there is the user's; stop it instead",
  );
}

function cannotPause(state: string): GatewayError {
  return new GatewayError('wrong-state', `The session is ${state}; only one that runs can be paused`);
}
