import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { UserError } from './fail.mjs';

/** The key agents must send, kept in a file only this user can read; made on the first start. */
export function readOrCreateSessionKey() {
  const file = join(
    process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state'),
    'fairlead',
    'session-key',
  );
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    createOnce(file);
    chmodSync(file, 0o600);
    const key = readFileSync(file, 'utf8').trim();
    if (key !== '') return { file, key };
  } catch (error) {
    throw new UserError(
      `Cannot keep the session key in ${file}: ${error.message}\nSet XDG_STATE_HOME to a folder you can write.`,
    );
  }
  throw new UserError(`The session key file is empty. Remove it and start again: rm '${file}'`);
}

function createOnce(file) {
  try {
    writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}
