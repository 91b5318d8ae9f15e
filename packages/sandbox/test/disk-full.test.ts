import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run, startTestServer, temporaryDirectory } from './support/test-server.ts';

const canMount = succeeds('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']);

test.runIf(canMount)(
  'a full disk does not take the shell away, and retries are not promised in vain',
  async () => {
    const sessionDir = await temporaryDirectory();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', sessionDir]);
    onTestFinished(() => void execFileSync('umount', ['--lazy', sessionDir]));
    const { act, executor, logged, server } = await startTestServer({ sessionDir });
    const key = { 'idempotency-key': 'before' };
    const before = await act(run('before'), key);
    fill(join(sessionDir, 'filler'));

    expect((await act(run('x'.repeat(8000)))).status).toBe(200);
    const refused = await act(run('y'.repeat(8000)), { 'idempotency-key': 'full' });
    expect([refused.status, refused.json.detail]).toEqual([503, expect.stringContaining('free disk space')]);
    expect(executor.executed).toHaveLength(2);
    expect(logged.filter((line) => line.includes('journal'))).toHaveLength(1);

    rmSync(join(sessionDir, 'filler'));
    expect((await act(run('after'), { 'idempotency-key': 'full' })).json.content).toBe('after');
    expect((await act(run('before'), key)).text).toBe(before.text);
    await server.close();
    for (const line of readFileSync(join(sessionDir, 'journal.jsonl'), 'utf8').trimEnd().split('\n'))
      JSON.parse(line);
  },
);

function fill(path: string): void {
  for (let size = 60_000; size > 0; size -= 4096) {
    try {
      return writeFileSync(path, Buffer.alloc(size));
    } catch {
      // Smaller, then.
    }
  }
}

function succeeds(command: string, args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
