import type { Page } from 'playwright-core';
import { until } from '../../gateway/support/wait.ts';

const limitMs = 60_000;

/** Until the browser has stored this of a workbench: it does so some seconds later, and a reload may come before. */
export async function untilRemembered(page: Page, key: string, part: string): Promise<void> {
  const script = `(${readStorage})(${JSON.stringify(key)}, ${JSON.stringify(part)})`;
  await until(() => page.evaluate(script), `"${part}" in ${key}`, limitMs);
}

const readStorage = `async (key, part) => {
  const asked = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  for (const { name } of await indexedDB.databases()) {
    if (!name.startsWith('vscode-web-state-db-')) continue;
    const database = await asked(indexedDB.open(name));
    const found = await asked(database.transaction('ItemTable').objectStore('ItemTable').get(key));
    database.close();
    if (String(found).includes(part)) return true;
  }
  return false;
}`;
