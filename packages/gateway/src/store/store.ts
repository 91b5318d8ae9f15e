import type { DriverName, SessionLimits, SessionState, WorkspaceSource } from '@fairlead/protocol';

/**
 * What the gateway must not forget. Times are texts of `Date.toISOString`. Methods that say nothing reject only on a fault
 * of the store.
 */
export interface Store {
  readonly owners: OwnerStore;
  readonly keys: KeyStore;
  readonly logins: LoginStore;
  readonly sessions: SessionStore;
  readonly journal: JournalStore;
  close(): void;
}

export interface OwnerRecord {
  id: string;
  name: string;
  /** An operator may also mount any folder of the machine. */
  role: 'operator' | 'tenant';
  createdAt: string;
}

export interface OwnerStore {
  /** False when the name is taken. */
  add(owner: OwnerRecord): Promise<boolean>;
  find(id: string): Promise<OwnerRecord | undefined>;
  findByName(name: string): Promise<OwnerRecord | undefined>;
  list(): Promise<OwnerRecord[]>;
}

export interface KeyRecord {
  id: string;
  ownerId: string;
  label: string;
  /** A window's opens nothing but the door for windows. */
  kind: 'api' | 'window';
  /** SHA-256 of the secret, in hex. The secret itself is stored nowhere. */
  hash: string;
  createdAt: string;
  revokedAt: string | null;
}

export interface KeyStore {
  add(key: KeyRecord): Promise<void>;
  find(id: string): Promise<KeyRecord | undefined>;
  list(ownerId?: string): Promise<KeyRecord[]>;
  /** False when there is no such key, or it was revoked before. */
  revoke(id: string, revokedAt: string): Promise<boolean>;
}

/** A browser that has exchanged a ticket for a cookie. */
export interface LoginRecord {
  /** SHA-256 of the cookie's value, in hex. */
  hash: string;
  ownerId: string;
  /** The login ends with the key that it came from; null when that was a session's key. */
  keyId: string | null;
  /** Opens this session alone; null for all of the owner's. */
  sessionId: string | null;
  expiresAt: string;
}

export interface LoginStore {
  add(login: LoginRecord): Promise<void>;
  /** Also one that has expired, or whose key is revoked. */
  find(hash: string): Promise<LoginRecord | undefined>;
  remove(hash: string): Promise<void>;
  removeExpired(now: string): Promise<void>;
}

export interface SessionRecord {
  id: string;
  ownerId: string;
  driver: DriverName;
  image: string | null;
  state: SessionState;
  reason: string | null;
  workspace: WorkspaceSource;
  env: Record<string, string>;
  labels: Record<string, string>;
  limits: SessionLimits;
  idleTimeoutSeconds: number;
  createdAt: string;
  lastActiveAt: string;
  expiresAt: string | null;
  /** Since when it is stopped or failed. */
  endedAt: string | null;
  /** The name that another API's client gave it, unique for its owner. */
  externalId: string | null;
  /** The VS Code window that it runs in; null for one in a sandbox. */
  windowId: string | null;
  /** Where it begins in that window; null for the window's first folder. */
  windowFolder: string | null;
  /** Told to its shells as APP_PORT_1 and so on; no other session has them. */
  appPorts: number[];
}

export interface SessionStore {
  /** False when the owner has a session of that external id already. */
  add(session: SessionRecord): Promise<boolean>;
  find(id: string): Promise<SessionRecord | undefined>;
  findByExternalId(ownerId: string, externalId: string): Promise<SessionRecord | undefined>;
  /** Newest first. */
  list(filter?: SessionFilter): Promise<SessionRecord[]>;
  count(ownerId: string): Promise<number>;
  update(id: string, changes: Partial<Omit<SessionRecord, 'id' | 'ownerId'>>): Promise<void>;
  /** With its journal. */
  remove(id: string): Promise<void>;
}

export interface SessionFilter {
  ownerId?: string;
  states?: SessionState[];
  /** All of these must match. */
  labels?: Record<string, string>;
}

/** To number a record of a session that does not exist is a `GatewayError`, 'not-found'. */
export interface JournalStore {
  /** Gives a number and records, in one transaction. A key or an action id that is known already records nothing. */
  beginAction(
    action: NewAction,
  ): Promise<{ kind: 'begun'; seq: number } | { kind: 'known'; action: ActionRecord }>;
  /** Undefined when the action has its observation already: the first one stands. Also when the action is gone. */
  finishAction(observation: NewObservation): Promise<{ seq: number } | undefined>;
  appendState(sessionId: string, time: string, state: SessionState, reason: string | null): Promise<number>;
  /** Undefined when there is one of that id already. */
  appendNotice(notice: NewNotice): Promise<number | undefined>;
  findByKey(sessionId: string, idempotencyKey: string): Promise<ActionRecord | undefined>;
  /** Actions without an observation, oldest first. */
  unfinished(sessionId: string): Promise<ActionRecord[]>;
  /** In order; at most so many records and, but for the first, so many bytes of JSON. */
  read(
    sessionId: string,
    afterSeq: number,
    limits: { records: number; bytes: number },
  ): Promise<JournalRecord[]>;
  /** 0 when there is none. Numbers begin at 1 and are never given twice, also when old ones are removed. */
  lastSeq(sessionId: string): Promise<number>;
  /**
   * Removes what is older, an action only together with its observation. Keys of removed actions are forgotten. Returns
   * how many records went.
   */
  removeBefore(time: string): Promise<number>;
}

export interface NewAction {
  sessionId: string;
  actionId: string;
  idempotencyKey: string | null;
  bodyHash: string;
  shell: string;
  time: string;
  eventJson: string;
}

export interface NewObservation {
  sessionId: string;
  actionId: string;
  time: string;
  observationJson: string;
}

/** What happens in a session's window beside actions. */
export interface NewNotice {
  sessionId: string;
  noticeId: string;
  time: string;
  /** An object with a `type`. */
  noticeJson: string;
}

export interface ActionRecord extends NewAction {
  seq: number;
  observationJson: string | null;
}

export type JournalRecord = { seq: number; time: string } & (
  | { type: 'action'; actionId: string; shell: string; eventJson: string }
  | { type: 'observation'; actionId: string; eventJson: string }
  | { type: 'state'; state: SessionState; reason: string | null }
  | { type: 'notice'; noticeId: string; noticeJson: string }
);
