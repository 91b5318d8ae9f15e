import { openDatabase } from './open-database.ts';
import { sqliteJournal } from './sqlite-journal.ts';
import { sqliteKeys } from './sqlite-keys.ts';
import { sqliteLogins } from './sqlite-logins.ts';
import { sqliteOwners } from './sqlite-owners.ts';
import { sqliteSessions } from './sqlite-sessions.ts';
import type { Store } from './store.ts';

/** One file for one gateway and the commands of its machine. Throws, with the remedy, where the file cannot be used. */
export function openSqliteStore(path: string): Store {
  const database = openDatabase(path);
  return {
    owners: sqliteOwners(database),
    keys: sqliteKeys(database),
    logins: sqliteLogins(database),
    sessions: sqliteSessions(database),
    journal: sqliteJournal(database),
    close: () => {
      if (database.sqlite.isOpen) database.sqlite.close();
    },
  };
}
