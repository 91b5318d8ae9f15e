import type { KeyRecord, NewAction, OwnerRecord, SessionRecord, Store } from '../../../src/store/store.ts';

/** Times that are easy to compare: second `n` of a day. */
export function at(second: number): string {
  return new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
}

export function owner(id: string, changes: Partial<OwnerRecord> = {}): OwnerRecord {
  return { id, name: `name of ${id}`, role: 'tenant', createdAt: at(0), ...changes };
}

export function key(id: string, ownerId: string, changes: Partial<KeyRecord> = {}): KeyRecord {
  return {
    id,
    ownerId,
    label: 'laptop',
    kind: 'api',
    hash: 'a'.repeat(64),
    createdAt: at(0),
    revokedAt: null,
    ...changes,
  };
}

export function session(id: string, ownerId: string, changes: Partial<SessionRecord> = {}): SessionRecord {
  return {
    id,
    ownerId,
    driver: 'local',
    image: null,
    state: 'running',
    reason: null,
    workspace: { kind: 'own' },
    env: {},
    labels: {},
    limits: {},
    idleTimeoutSeconds: 1800,
    createdAt: at(0),
    lastActiveAt: at(0),
    expiresAt: null,
    endedAt: null,
    externalId: null,
    windowId: null,
    windowFolder: null,
    appPorts: [],
    ...changes,
  };
}

export function action(sessionId: string, actionId: string, changes: Partial<NewAction> = {}): NewAction {
  return {
    sessionId,
    actionId,
    idempotencyKey: null,
    bodyHash: 'b'.repeat(64),
    shell: 'main',
    time: at(0),
    eventJson: `{"action":"run","args":{"command":"echo ${actionId}"}}`,
    ...changes,
  };
}

/** A store with an owner and a session of it, which is what a journal needs. */
export async function addSession(store: Store, sessionId: string, ownerId = 'ann'): Promise<void> {
  if ((await store.owners.find(ownerId)) === undefined) await store.owners.add(owner(ownerId));
  await store.sessions.add(session(sessionId, ownerId));
}

export async function finish(
  store: Store,
  sessionId: string,
  actionId: string,
  changes: { time?: string; observationJson?: string } = {},
): Promise<{ seq: number } | undefined> {
  return store.journal.finishAction({ sessionId, actionId, time: at(0), observationJson: '{}', ...changes });
}

export const everything = { records: 1_000_000, bytes: Infinity };
