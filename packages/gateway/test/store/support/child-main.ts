import { writeSync } from 'node:fs';
import { openSqliteStore } from '../../../src/store/sqlite-store.ts';
import { action, finish, owner } from './records.ts';

/** Each prints a line for what was acknowledged, at once. */
const works: Record<string, (path: string, ...args: string[]) => Promise<void>> = {
  /** Opens a database that may not exist yet, together with others that do the same. */
  async open(path) {
    const store = openSqliteStore(path);
    const isAdded = await store.owners.add(owner(`p${process.pid}`, { name: 'the same' }));
    print(String(isAdded));
    store.close();
  },

  /** Begins and finishes actions under keys that others try too. */
  async contend(path, sessionId = '', count = '') {
    const store = openSqliteStore(path);
    for (let n = 0; n < Number(count); n += 1) {
      const actionId = `${process.pid}-${n}`;
      const begun = await store.journal.beginAction(action(sessionId, actionId, { idempotencyKey: `k${n}` }));
      if (begun.kind === 'known') continue;
      const finished = await finish(store, sessionId, actionId);
      print(`k${n} ${begun.seq} ${finished?.seq}`);
    }
    store.close();
  },

  /** Writes until it is killed. */
  async write(path, sessionId = '', name = '') {
    const store = openSqliteStore(path);
    for (let n = 0; ; n += 1) {
      const begun = await store.journal.beginAction(action(sessionId, `${name}-${n}`));
      if (begun.kind === 'begun') print(`${begun.seq} action ${name}-${n}`);
      const observationJson = JSON.stringify({ content: 'x'.repeat(n % 3 === 0 ? 20_000 : 20) });
      const finished = await finish(store, sessionId, `${name}-${n}`, { observationJson });
      print(`${finished?.seq} observation ${name}-${n}`);
    }
  },

  async revoke(path, keyId = '') {
    const store = openSqliteStore(path);
    print(String(await store.keys.revoke(keyId, new Date().toISOString())));
    store.close();
  },
};

function print(line: string): void {
  writeSync(1, `${line}\n`);
}

const [work = '', path = '', ...args] = process.argv.slice(2);
await works[work]!(path, ...args);
