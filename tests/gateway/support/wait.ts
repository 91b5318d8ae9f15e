import { setTimeout as delay } from 'node:timers/promises';

/** Asks again until the answer is something. */
export async function until<Value>(
  ask: () => Value | Promise<Value>,
  what: string,
  limitMs = 15_000,
): Promise<NonNullable<Value>> {
  const deadlineMs = performance.now() + limitMs;
  for (;;) {
    const value = await ask();
    if (value !== undefined && value !== null && value !== false) return value;
    if (performance.now() > deadlineMs) throw new Error(`waited in vain for ${what}`);
    await delay(40);
  }
}
