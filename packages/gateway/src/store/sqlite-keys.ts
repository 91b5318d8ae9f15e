import type { Database } from './open-database.ts';
import type { KeyRecord, KeyStore } from './store.ts';

export function sqliteKeys({ sqlite }: Database): KeyStore {
  const insert = sqlite.prepare(
    'INSERT INTO keys (id, ownerId, label, kind, hash, createdAt, revokedAt) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const byId = sqlite.prepare('SELECT * FROM keys WHERE id = ?');
  const all = sqlite.prepare('SELECT * FROM keys ORDER BY createdAt, rowid');
  const byOwner = sqlite.prepare('SELECT * FROM keys WHERE ownerId = ? ORDER BY createdAt, rowid');
  const revoke = sqlite.prepare('UPDATE keys SET revokedAt = ? WHERE id = ? AND revokedAt IS NULL');
  return {
    add: async ({ id, ownerId, label, kind, hash, createdAt, revokedAt }) => {
      insert.run(id, ownerId, label, kind, hash, createdAt, revokedAt);
    },
    find: async (id) => byId.get(id) as KeyRecord | undefined,
    list: async (ownerId) =>
      (ownerId === undefined ? all.all() : byOwner.all(ownerId)) as unknown as KeyRecord[],
    revoke: async (id, revokedAt) => revoke.run(revokedAt, id).changes === 1,
  };
}
