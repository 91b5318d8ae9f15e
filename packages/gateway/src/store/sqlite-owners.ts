import type { Database } from './open-database.ts';
import type { OwnerRecord, OwnerStore } from './store.ts';

export function sqliteOwners({ sqlite }: Database): OwnerStore {
  const insert = sqlite.prepare(
    `INSERT INTO owners (id, name, role, createdAt) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO NOTHING`,
  );
  const byId = sqlite.prepare('SELECT * FROM owners WHERE id = ?');
  const byName = sqlite.prepare('SELECT * FROM owners WHERE name = ?');
  const all = sqlite.prepare('SELECT * FROM owners ORDER BY createdAt, rowid');
  return {
    add: async ({ id, name, role, createdAt }) => insert.run(id, name, role, createdAt).changes === 1,
    find: async (id) => byId.get(id) as OwnerRecord | undefined,
    findByName: async (name) => byName.get(name) as OwnerRecord | undefined,
    list: async () => all.all() as unknown as OwnerRecord[],
  };
}
