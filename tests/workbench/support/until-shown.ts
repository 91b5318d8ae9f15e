import type { Locator } from 'playwright-core';
import { until } from '../../gateway/support/wait.ts';

const limitMs = 60_000;
const onceMs = 5_000;

/** Does it again until it is seen: a file that is written before its folder is watched is not noticed. */
export async function untilShown(shown: Locator, write: () => void | Promise<unknown>): Promise<void> {
  await until(
    async () => {
      await write();
      return shown.waitFor({ timeout: onceMs }).then(
        () => true,
        () => false,
      );
    },
    String(shown),
    limitMs,
  );
}
