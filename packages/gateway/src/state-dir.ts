import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createPrivateFile } from './auth/private-file.ts';
import { randomId } from './auth/random-text.ts';
import { openSqliteStore } from './store/sqlite-store.ts';
import type { Store } from './store/store.ts';

/** The files of a gateway. Whoever can read them is the gateway's own user. */
export function stateFiles(stateDir: string) {
  return {
    database: join(stateDir, 'fairlead.db'),
    key: join(stateDir, 'key'),
    secret: join(stateDir, 'secret'),
    audit: join(stateDir, 'audit.jsonl'),
    running: join(stateDir, 'gateway.json'),
    lock: join(stateDir, 'gateway.lock'),
    id: join(stateDir, 'id'),
  };
}

export function makeStateDir(stateDir: string): void {
  try {
    makeMissing(resolve(stateDir));
    chmodSync(stateDir, 0o700);
  } catch (error) {
    throw new Error(
      `Cannot use the state directory ${stateDir}: ${(error as Error).message}; choose another with --state-dir`,
      { cause: error },
    );
  }
}

/** Node's own recursive way never returns where a file system makes none (/proc). */
function makeMissing(path: string): void {
  if (existsSync(path)) return;
  makeMissing(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** Also while a gateway runs on it. */
export function openStateStore(stateDir: string): Store {
  makeStateDir(stateDir);
  return openSqliteStore(stateFiles(stateDir).database);
}

/**
 * One gateway for a state directory: a second one would end the sandboxes of the first. The lock is one of the
 * kernel's, held through SQLite, so it goes with the process however that ends.
 */
export function lockStateDir(stateDir: string): () => void {
  const lock = new DatabaseSync(stateFiles(stateDir).lock);
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch {
    lock.close();
    const pid = readRunning(stateDir)?.pid;
    const whom = pid === undefined ? 'another gateway' : `the gateway with process id ${pid}`;
    throw new Error(
      `The state directory ${stateDir} is in use by ${whom}; stop it, or choose another --state-dir`,
    );
  }
  // The address of a gateway that was killed.
  rmSync(stateFiles(stateDir).running, { force: true });
  return () => lock.close();
}

/** Tells this gateway's containers from those of others on the same engine, also after a restart. */
export function gatewayId(stateDir: string): string {
  const { id } = stateFiles(stateDir);
  createPrivateFile(id, randomId(12));
  return readFileSync(id, 'utf8').trim();
}

export interface RunningGateway {
  /** Where it listens. */
  url: string;
  pid: number;
  /** Where others reach it; null where that is the same. */
  publicUrl: string | null;
  domain: string | null;
}

/** Where commands on this machine find the gateway. */
export function writeRunning(stateDir: string, running: RunningGateway): () => void {
  const { running: path } = stateFiles(stateDir);
  writeFileSync(`${path}.new`, JSON.stringify(running), { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return () => rmSync(path, { force: true });
}

function readRunning(stateDir: string): RunningGateway | undefined {
  try {
    return JSON.parse(readFileSync(stateFiles(stateDir).running, 'utf8')) as RunningGateway;
  } catch {
    return undefined;
  }
}
