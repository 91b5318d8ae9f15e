import type { Database } from './open-database.ts';
import type { LoginRecord, LoginStore } from './store.ts';

export function sqliteLogins({ sqlite }: Database): LoginStore {
  const insert = sqlite.prepare(
    'INSERT INTO logins (hash, ownerId, keyId, sessionId, expiresAt) VALUES (?, ?, ?, ?, ?)',
  );
  const byHash = sqlite.prepare('SELECT * FROM logins WHERE hash = ?');
  const remove = sqlite.prepare('DELETE FROM logins WHERE hash = ?');
  const removeExpired = sqlite.prepare('DELETE FROM logins WHERE expiresAt <= ?');
  return {
    add: async ({ hash, ownerId, keyId, sessionId, expiresAt }) => {
      insert.run(hash, ownerId, keyId, sessionId, expiresAt);
    },
    find: async (hash) => byHash.get(hash) as LoginRecord | undefined,
    remove: async (hash) => {
      remove.run(hash);
    },
    removeExpired: async (now) => {
      removeExpired.run(now);
    },
  };
}
