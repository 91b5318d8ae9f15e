import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const connections = 50;

export interface Load {
  url: string;
  headers?: Record<string, string>;
  seconds: number;
}

/** Requests per second over 50 connections; throws when one was not answered with success. */
export async function wrk({ url, headers = {}, seconds }: Load): Promise<number> {
  const sent = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '20s', ...sent, url];
  const { stdout } = await promisify(execFile)('wrk', args).catch(needsWrk);
  const failures = /^\s*(Non-2xx|Socket errors).*$/m.exec(stdout)?.[0];
  if (failures !== undefined) throw new Error(`wrk ${url}: ${failures.trim()}`);
  return Number(/^Requests\/sec:\s+([\d.]+)/m.exec(stdout)?.[1]);
}

function needsWrk(error: NodeJS.ErrnoException): never {
  throw error.code === 'ENOENT' ? new Error("There is no wrk: install Debian's package of that name") : error;
}
