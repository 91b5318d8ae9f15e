import { describe, onTestFinished } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { describeAccounts } from './describe-accounts.ts';
import { describeJournal } from './describe-journal.ts';
import { describeSessions } from './describe-sessions.ts';

/** A new empty place; each call of the function it answers opens the same one again. */
export type MakePlace = () => Promise<() => Promise<Store>>;

export type OpenPlace = () => Promise<{ store: Store; reopen(): Promise<Store> }>;

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
