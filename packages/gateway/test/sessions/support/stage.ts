import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSessionRequest, type CreateSessionInput } from '@fairlead/protocol';
import { onTestFinished } from 'vitest';
import { newOwner } from '../../../src/auth/owners.ts';
import { placePrefix } from '../../../src/proxy/places.ts';
import { Sessions, type SessionsOptions } from '../../../src/sessions/sessions.ts';
import { openSqliteStore } from '../../../src/store/sqlite-store.ts';
import type { OwnerRecord, SessionRecord, Store } from '../../../src/store/store.ts';
import { Windows } from '../../../src/windows/windows.ts';
import { ScriptedDriver } from './scripted-driver.ts';

export interface Stage {
  sessions: Sessions;
  driver: ScriptedDriver;
  store: Store;
  owner: OwnerRecord;
  stateDir: string;
  create(input?: CreateSessionInput, externalId?: string): Promise<SessionRecord>;
  /** From now on nothing can be written, until it is called again. */
  breakStore(isBroken: boolean): void;
}

/** Real sessions on a real store, with sandboxes that a test controls. */
export async function setStage(changes: Partial<SessionsOptions> = {}): Promise<Stage> {
  const stateDir = mkdtempSync(join(tmpdir(), 'stage-'));
  const real = openSqliteStore(join(stateDir, 'fairlead.db'));
  const { store, breakStore } = breakable(real);
  const owner = newOwner('owner', 'tenant');
  await store.owners.add(owner);
  const driver = new ScriptedDriver();
  const sessions = new Sessions({
    store,
    stateDir,
    drivers: new Map([['local', driver]]),
    defaultDriver: 'local',
    defaultImage: null,
    defaultLimits: {},
    idleTimeoutSeconds: 60,
    maxAgeSeconds: null,
    maxSessionsPerOwner: 10,
    warmSize: 0,
    startsAtOnce: 4,
    allowedFolders: [],
    appPortsPerSession: 2,
    windows: new Windows(),
    placeUrl: (place) => `http://gateway${placePrefix(place, '')}/`,
    log: () => undefined,
    ...changes,
  });
  onTestFinished(async () => {
    breakStore(false);
    await sessions.close();
    await driver.close();
    real.close();
    rmSync(stateDir, { recursive: true, force: true });
  });
  const create = (input: CreateSessionInput = {}, externalId?: string) =>
    sessions.create(owner, createSessionRequest.parse(input), externalId === undefined ? {} : { externalId });
  return { sessions, driver, store, owner, stateDir, create, breakStore };
}

const writes = new Set(['add', 'update', 'remove', 'beginAction', 'finishAction', 'appendState']);

function breakable(real: Store): { store: Store; breakStore(isBroken: boolean): void } {
  let isBroken = false;
  const guarded = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        if (isBroken && writes.has(String(name)))
          return () => Promise.reject(new Error('database or disk is full'));
        return target[name as keyof Part];
      },
    });
  const store = { ...real, sessions: guarded(real.sessions), journal: guarded(real.journal) };
  return { store, breakStore: (next) => (isBroken = next) };
}
