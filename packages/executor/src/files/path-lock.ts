import type { FileHost } from './file-host.ts';

const tails = new WeakMap<FileHost, Map<string, Promise<unknown>>>();

/** Runs `work` after all earlier work on the same file of the same host, so that no change is lost to another. */
export async function withFileLocked<Value>(
  host: FileHost,
  path: string,
  work: () => Promise<Value>,
): Promise<Value> {
  const key = await host.canonicalPath(path).catch(() => path);
  const running = tails.get(host) ?? new Map<string, Promise<unknown>>();
  tails.set(host, running);
  const mine = (running.get(key) ?? Promise.resolve()).then(work, work);
  running.set(key, mine);
  try {
    return await mine;
  } finally {
    if (running.get(key) === mine) running.delete(key);
  }
}
