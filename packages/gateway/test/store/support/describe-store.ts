import { describe, onTestFinished } from 'vitest';
import { describeAccounts } from './describe-accounts.ts';
import { describeJournal } from './describe-journal.ts';
import { describeSessions } from './describe-sessions.ts';
import type { MakePlace, OpenPlace } from './places.ts';

/** What every store must do, whatever it stands on. */
export function describeStore(name: string, makePlace: MakePlace): void {
  const openPlace: OpenPlace = async () => {
    const open = await makePlace();
    const reopen = async () => {
      const store = await open();
      onTestFinished(() => store.close());
      return store;
    };
    return { store: await reopen(), reopen };
  };
  describe(name, () => {
    describeAccounts(openPlace);
    describeSessions(openPlace);
    describeJournal(openPlace);
  });
}
