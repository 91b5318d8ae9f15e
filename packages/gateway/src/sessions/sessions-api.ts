import type { CreateSessionRequest, SessionState } from '@fairlead/protocol';
import type { Pool } from 'undici';
import type { NewNotice, OwnerRecord, SessionRecord } from '../store/store.ts';

/**
 * What the fronts stand on. Who may do it is the fronts' to check; an id that does not exist, and every other refusal,
 * is a `GatewayError`.
 */
export interface SessionsApi {
  create(owner: OwnerRecord, request: CreateSessionRequest, options?: CreateOptions): Promise<SessionRecord>;
  get(id: string): Promise<SessionRecord>;
  findByExternalId(ownerId: string, externalId: string): Promise<SessionRecord | undefined>;
  list(ownerId: string, filter?: ListFilter): Promise<SessionRecord[]>;
  pause(id: string): Promise<SessionRecord>;
  /** From paused, stopped or failed. */
  resume(id: string): Promise<SessionRecord>;
  /** Ends the runtime and keeps the workspace. */
  stop(id: string, reason: string): Promise<SessionRecord>;
  /** With its workspace, unless that is a folder which was given. */
  remove(id: string): Promise<void>;
  extend(id: string, seconds?: number): Promise<SessionRecord>;
  /** Somebody works with it: its idle time starts anew. */
  touch(id: string): void;
  /** One that was executed before is answered from the journal, also when the session does not run. */
  execute(id: string, request: ActionRequest): Promise<ActionAnswer>;
  /**
   * Batches of `SessionEvent`s as JSON texts: what the journal has after a number, then live until the signal. A
   * consumer that is slow to ask for the next batch loses output, and nothing else. Without `after` it starts now.
   */
  watch(id: string, options: { after?: number | undefined; signal: AbortSignal }): AsyncIterable<string[]>;
  /** What happened in its window, for the journal; once, however often it is told. */
  notice(notice: NewNotice): Promise<void>;
  /** For what is passed on to the sandbox as it is; refuses when the session does not run. */
  connection(id: string): Promise<SandboxConnection>;
}

export interface CreateOptions {
  externalId?: string;
  onProgress?(text: string): void;
  /**
   * Whether it is the error that tells what went wrong: a session without a sandbox is then forgotten. Otherwise it stays,
   * as failed, for those who know of it already. True where nothing is said.
   */
  isAwaited?(): boolean;
}

export interface ListFilter {
  states?: SessionState[];
  labels?: Record<string, string>;
}

export interface ActionRequest {
  /** The event as the client sent it. */
  event: Record<string, unknown>;
  /** Tells a retry from another action under the same key. */
  bodyHash: string;
  actionId?: string | undefined;
  idempotencyKey?: string | undefined;
  /** A session that is paused or stopped is resumed for it, unless it has its observation already. */
  isToWake?: boolean;
}

export interface ActionAnswer {
  actionId: string;
  observationJson: string;
  /** The action ran for an earlier request, and this is its answer. */
  isReplay: boolean;
}

/** HTTP to the sandbox server of one session. */
export interface SandboxConnection {
  socketPath: string;
  http: Pool;
}
