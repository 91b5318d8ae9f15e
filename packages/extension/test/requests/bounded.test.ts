import { expect, test } from 'vitest';
import { bounded } from '../../src/requests/bounded.ts';

const never = () => new Promise<never>(() => undefined);

test('the work ends with its own result or error', async () => {
  const bounds = { deadlineMs: Infinity, signal: new AbortController().signal };
  expect(await bounded(bounds, async () => 7)).toBe(7);
  await expect(bounded(bounds, () => Promise.reject(new Error('own')))).rejects.toThrow('own');
});

test('the deadline ends it, and the work hears of it', async () => {
  let seen: AbortSignal | undefined;
  const work = bounded(
    { deadlineMs: performance.now() + 20, signal: new AbortController().signal },
    (signal) => {
      seen = signal;
      return never();
    },
  );
  await expect(work).rejects.toMatchObject({ code: 'timeout' });
  expect(seen!.aborted).toBe(true);
});

test('the caller’s cancel ends it, also one that came before', async () => {
  const caller = new AbortController();
  const work = bounded({ deadlineMs: Infinity, signal: caller.signal }, never);
  caller.abort();
  await expect(work).rejects.toMatchObject({ code: 'cancelled' });
  await expect(bounded({ deadlineMs: Infinity, signal: caller.signal }, never)).rejects.toMatchObject({
    code: 'cancelled',
  });
});
