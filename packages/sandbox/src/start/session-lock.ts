import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from './arguments.ts';
import { startTime } from './start-time.ts';

/** One server for a session: a second one would take the shells of the first. Returns how to give it back. */
export function lockSession(sessionDir: string): () => void {
  const path = join(sessionDir, 'server.pid');
  const mine = `${process.pid} ${startTime(process.pid)}`;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      writeFileSync(path, mine, { flag: 'wx', mode: 0o600 });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const [pid, time] = readOwner(path);
      if (time !== '' && startTime(Number(pid)) === time) {
        throw new UsageError(`The session in ${sessionDir} is in use by the server with process id ${pid}`);
      }
      rmSync(path, { force: true });
    }
  }
  throw new UsageError(`The session in ${sessionDir} is in use by another server that is starting`);
}

function readOwner(path: string): [pid: string, startTime: string] {
  try {
    const [pid = '', time = ''] = readFileSync(path, 'utf8').split(' ');
    return [pid, time];
  } catch {
    return ['', ''];
  }
}
