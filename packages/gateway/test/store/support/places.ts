import type { Store } from '../../../src/store/store.ts';

/** A new empty place; each call of the function it answers opens the same one again. */
export type MakePlace = () => Promise<() => Promise<Store>>;

export type OpenPlace = () => Promise<{ store: Store; reopen(): Promise<Store> }>;
