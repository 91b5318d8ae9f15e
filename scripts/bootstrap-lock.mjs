import { mkdirSync, readFileSync, rmSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from './fail.mjs';

const pollMs = 200;
const patienceMs = 10 * 60_000;
const writingPidMs = 5_000;

/** Runs `work` while no other process does the same; a lock whose owner is gone is taken over. */
export async function withLock(directory, work) {
  await acquire(directory);
  const release = () => rmSync(directory, { recursive: true, force: true });
  const releaseAndDie = (signal) => {
    release();
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  process.once('SIGINT', releaseAndDie).once('SIGTERM', releaseAndDie);
  try {
    return await work();
  } finally {
    release();
    process.off('SIGINT', releaseAndDie).off('SIGTERM', releaseAndDie);
  }
}

async function acquire(directory) {
  const deadline = Date.now() + patienceMs;
  let told = false;
  for (;;) {
    if (tryMkdir(directory)) return writeOwner(directory);
    const owner = readOwner(directory);
    if (isGone(directory, owner) && takeOver(directory, owner)) return;
    if (Date.now() > deadline) {
      throw new UserError(`Another bootstrap holds ${directory}. If none is running, remove that directory.`);
    }
    if (!told)
      process.stderr.write(`Another npm script is installing dependencies (process ${owner}): waiting …\n`);
    told = true;
    await sleep(pollMs);
  }
}

/** Only one waiter can make the inner directory, and it looks again: the lock may have a new owner by then. */
function takeOver(directory, deadOwner) {
  const claim = join(directory, 'claim');
  if (!tryMkdir(claim)) return false;
  const won = readOwner(directory) === deadOwner;
  if (won) writeOwner(directory);
  rmdirSync(claim);
  return won;
}

function tryMkdir(directory) {
  try {
    mkdirSync(directory);
    return true;
  } catch (error) {
    // ENOENT: the lock was released between looking and claiming.
    if (error.code === 'EEXIST' || error.code === 'ENOENT') return false;
    throw new UserError(`Cannot create ${directory}: ${error.message}`);
  }
}

function writeOwner(directory) {
  writeFileSync(join(directory, 'pid'), String(process.pid));
}

function readOwner(directory) {
  try {
    return Number(readFileSync(join(directory, 'pid'), 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

function isGone(directory, owner) {
  try {
    if (owner === undefined) return Date.now() - statSync(directory).mtimeMs > writingPidMs;
    process.kill(owner, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}
