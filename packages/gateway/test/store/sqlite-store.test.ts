import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import { describeStore } from './support/describe-store.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

describeStore('the SQLite store', async () => {
  const path = `${temporaryDirectory()}/fairlead.db`;
  return async () => openSqliteStore(path);
});
