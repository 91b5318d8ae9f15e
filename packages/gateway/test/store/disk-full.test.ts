import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import { action, addSession, everything, finish } from './support/records.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

test.runIf(canMount())(
  'a full disk refuses a record whole, and takes the next when there is room',
  async () => {
    const directory = temporaryDirectory();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'none', directory]);
    onTestFinished(() => void execFileSync('umount', ['--lazy', directory]));
    const store = openSqliteStore(join(directory, 'fairlead.db'));
    onTestFinished(() => store.close());
    await addSession(store, 's1');
    await store.journal.beginAction(action('s1', 'a1'));
    fill(join(directory, 'filler'));

    const observationJson = JSON.stringify('x'.repeat(500_000));
    await expect(finish(store, 's1', 'a1', { observationJson })).rejects.toThrow('full');
    expect(await store.journal.unfinished('s1')).toMatchObject([{ actionId: 'a1' }]);
    expect(await store.journal.lastSeq('s1')).toBe(1);

    rmSync(join(directory, 'filler'));
    expect(await finish(store, 's1', 'a1', { observationJson })).toEqual({ seq: 2 });
    expect(await store.journal.read('s1', 0, everything)).toHaveLength(2);
  },
);

function fill(path: string): void {
  for (let size = 2_000_000; size > 0; size -= 4096) {
    try {
      return writeFileSync(path, Buffer.alloc(size));
    } catch {
      // Smaller, then.
    }
  }
}

function canMount(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
