import { join } from 'node:path';
import type { OpenSession } from '@fairlead/protocol';
import {
  addressOf,
  type ConnectedWindow,
  keyOf,
  type WindowAddress,
  type WindowListener,
  type Windows,
} from '../../windows/windows.ts';
import { type Diagnosis, type Driver, DriverError, type SandboxSpec, type SandboxStatus } from '../driver.ts';
import { runFiles } from '../inside.ts';
import { SessionSocket } from './session-socket.ts';

export interface WindowDriverOptions {
  windows: Windows;
  /** How long sessions wait for a window whose connection is lost. */
  graceMs: number;
  log(line: string): void;
}

interface Hosted extends WindowAddress {
  message: OpenSession;
  socketPath: string;
  generation: number;
  /** There while the window is connected and has the session open. */
  socket?: SessionSocket | undefined;
}

/**
 * Sessions in VS Code windows. The window serves the sandbox API; the gateway serves the session's Unix socket and passes its
 * connections on. While the window is away there is no socket, so that nothing is taken for sent that cannot be.
 */
export class WindowDriver implements Driver, WindowListener {
  readonly name = 'window';
  /** Told when a session is over although nobody asked for it: its window did not come back, or its user ended it. */
  onOver: (sessionId: string, reason: string) => Promise<void> = async () => undefined;
  readonly #options: WindowDriverOptions;
  readonly #hosted = new Map<string, Hosted>();
  readonly #graces = new Map<string, NodeJS.Timeout>();
  #generations = 0;

  constructor(options: WindowDriverOptions) {
    this.#options = options;
    options.windows.listen(this);
  }

  async diagnose(): Promise<Diagnosis> {
    return { ok: true, detail: `${this.#options.windows.count} windows are connected` };
  }

  async check(spec: SandboxSpec): Promise<void> {
    this.#window(placeOf(spec));
  }

  async start(spec: SandboxSpec): Promise<void> {
    const window = this.#window(placeOf(spec));
    const hosted = this.#host(spec);
    try {
      const refusal = await this.#open(hosted, window);
      if (refusal !== undefined) {
        throw new DriverError(`The window "${window.facts.name}" did not take the session: ${refusal}`);
      }
      if (hosted.socket === undefined) throw notConnected();
    } catch (error) {
      await this.stop(spec.id, 'it could not be started');
      throw error;
    }
  }

  async adopt(spec: SandboxSpec): Promise<void> {
    const hosted = this.#host(spec);
    if (this.#options.windows.find(hosted) === undefined) this.#awaitReturn(hosted);
  }

  async status(id: string): Promise<SandboxStatus> {
    const hosted = this.#hosted.get(id);
    if (hosted === undefined) return 'gone';
    return hosted.socket === undefined ? 'away' : 'running';
  }

  /** The same while the window has the session open, whatever becomes of its connection. */
  generation(id: string): number {
    return this.#hosted.get(id)?.generation ?? 0;
  }

  async pause(): Promise<void> {
    throw new DriverError('A session in a window cannot be paused');
  }

  async resume(): Promise<void> {
    throw new DriverError('A session in a window cannot be paused');
  }

  async stop(id: string, reason = 'its session has ended'): Promise<void> {
    const hosted = this.#hosted.get(id);
    if (hosted === undefined) return;
    this.#release(id);
    // One that is away is told when it comes back with the session open.
    await this.#options.windows.find(hosted)?.line.closeSession({ sessionId: id, reason });
  }

  async list(): Promise<string[]> {
    return [...this.#hosted.keys()];
  }

  /** Windows keep the sessions open for the next gateway. */
  async close(): Promise<void> {
    for (const timer of this.#graces.values()) clearTimeout(timer);
    this.#graces.clear();
    for (const { socket } of this.#hosted.values()) socket?.close();
    this.#hosted.clear();
  }

  onConnected(window: ConnectedWindow): void {
    const address = addressOf(window);
    clearTimeout(this.#graces.get(keyOf(address)));
    this.#graces.delete(keyOf(address));
    const theirs = this.#of(address);
    const known = new Set(theirs.map(({ message }) => message.sessionId));
    for (const sessionId of window.facts.openSessions) {
      if (!known.has(sessionId))
        void window.line.closeSession({ sessionId, reason: 'its session has ended' });
    }
    for (const hosted of theirs) {
      const isOpenStill = window.facts.openSessions.includes(hosted.message.sessionId);
      if (!isOpenStill) hosted.generation = this.#nextGeneration();
      void this.#reopen(hosted, window);
    }
  }

  onLost(window: ConnectedWindow): void {
    const address = addressOf(window);
    const theirs = this.#of(address);
    for (const hosted of theirs) {
      hosted.socket?.close();
      hosted.socket = undefined;
    }
    if (theirs.length > 0) this.#awaitReturn(address);
  }

  async onLeft(window: ConnectedWindow, reason: string): Promise<void> {
    const theirs = this.#of(addressOf(window));
    await Promise.all(theirs.map(({ message }) => this.#end(message.sessionId, reason)));
  }

  async onSessionLeft(window: ConnectedWindow, sessionId: string, reason: string): Promise<void> {
    const isTheirs = this.#of(addressOf(window)).some(({ message }) => message.sessionId === sessionId);
    if (isTheirs) await this.#end(sessionId, reason);
  }

  #window(address: WindowAddress): ConnectedWindow {
    const window = this.#options.windows.find(address);
    if (window === undefined) throw notConnected();
    return window;
  }

  #host(spec: SandboxSpec): Hosted {
    const { id, directories, env } = spec;
    const { ownerId, windowId, ...told } = placeOf(spec);
    const hosted: Hosted = {
      ownerId,
      windowId,
      message: { sessionId: id, env, ...told },
      generation: this.#nextGeneration(),
      socketPath: join(directories.run, runFiles.socket),
    };
    this.#hosted.get(id)?.socket?.close();
    this.#hosted.set(id, hosted);
    this.#options.windows.host({ id, ownerId, windowId, agent: told.agent });
    return hosted;
  }

  /** Undefined when it is open, and also when that is not called for any more; otherwise the window's refusal. */
  async #open(hosted: Hosted, window: ConnectedWindow): Promise<string | undefined> {
    const { sessionId } = hosted.message;
    const isWanted = () =>
      this.#hosted.get(sessionId) === hosted && this.#options.windows.find(hosted) === window;
    const answer = await window.line.openSession(hosted.message);
    if (!isWanted()) return undefined;
    if (!answer.ok) return answer.detail;
    const socket = await SessionSocket.listen(hosted.socketPath, () => window.line.openStream(sessionId));
    if (isWanted()) hosted.socket = socket;
    else socket.close();
    return undefined;
  }

  async #reopen(hosted: Hosted, window: ConnectedWindow): Promise<void> {
    const { sessionId } = hosted.message;
    const refusal = await this.#open(hosted, window).catch((error: Error) => error.message);
    if (refusal !== undefined) await this.#end(sessionId, `its window did not take it up again: ${refusal}`);
  }

  #awaitReturn(address: WindowAddress): void {
    const { graceMs } = this.#options;
    const key = keyOf(address);
    if (this.#graces.has(key)) return;
    const giveUp = () => {
      this.#graces.delete(key);
      const reason = `its window was disconnected and did not come back within ${graceMs / 1000} seconds`;
      for (const { message } of this.#of(address)) void this.#end(message.sessionId, reason);
    };
    this.#graces.set(key, setTimeout(giveUp, graceMs));
  }

  async #end(id: string, reason: string): Promise<void> {
    const { log } = this.#options;
    log(`session ${id}: ${reason}`);
    this.#release(id);
    await this.onOver(id, reason).catch((error: Error) => log(`session ${id}: ${error.message}`));
  }

  #nextGeneration(): number {
    this.#generations += 1;
    return this.#generations;
  }

  #release(id: string): void {
    this.#hosted.get(id)?.socket?.close();
    this.#hosted.delete(id);
    this.#options.windows.release(id);
  }

  #of({ ownerId, windowId }: WindowAddress): Hosted[] {
    return [...this.#hosted.values()].filter(
      (hosted) => hosted.ownerId === ownerId && hosted.windowId === windowId,
    );
  }
}

function placeOf({ window }: SandboxSpec): NonNullable<SandboxSpec['window']> {
  if (window === undefined) throw new DriverError('A session in a window must say which');
  return window;
}

function notConnected(): DriverError {
  return new DriverError(
    'its VS Code window is not connected: open its folder and run the command "Fairlead: Connect This Window"',
  );
}
