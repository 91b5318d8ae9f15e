import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Kept } from '../kept.ts';

/** One program that was started with the bridge, and its children. */
export interface BridgeRun {
  readonly id: string;
  /** What the user sees: the name of the file. */
  readonly name: string;
}

/** As it is kept over a reload of the window: what opens the bridge is not in it, only its digest. */
const runRecord = z.object({
  id: z.string(),
  name: z.string(),
  tokenDigest: z.string(),
  /** Of a process that outlives the extension host; null for a run that ends with it. */
  pid: z.number().nullable(),
  port: z.number(),
});
export type RunRecord = z.infer<typeof runRecord>;

/** The runs whose tokens are good. */
export class Runs {
  readonly #store: Kept;
  readonly #records = new Map<string, RunRecord>();

  constructor(store: Kept) {
    this.#store = store;
  }

  get size(): number {
    return this.#records.size;
  }

  list(): RunRecord[] {
    return [...this.#records.values()];
  }

  /** A fresh token, which is told this once. */
  begin(name: string, port: number): { run: BridgeRun; token: string } {
    const token = randomBytes(32).toString('hex');
    const id = randomBytes(8).toString('hex');
    this.#records.set(id, { id, name, tokenDigest: digest(token).toString('hex'), pid: null, port });
    return { run: { id, name }, token };
  }

  /** Takes up what an earlier extension host has left. */
  restore(): RunRecord[] {
    const stored = z.array(runRecord).safeParse(this.#store.get());
    for (const record of stored.success ? stored.data : []) this.#records.set(record.id, record);
    return this.list();
  }

  /** From now on the run is known also after a reload of the window. */
  setProcess(id: string, pid: number): void {
    const record = this.#records.get(id);
    if (record === undefined) return;
    record.pid = pid;
    this.#keep();
  }

  has(id: string): boolean {
    return this.#records.has(id);
  }

  /** Looks at every run, so that the time it takes tells nothing. */
  find(token: string, session: string | undefined): BridgeRun | undefined {
    const given = digest(token);
    let found: RunRecord | undefined;
    for (const record of this.#records.values())
      if (timingSafeEqual(given, Buffer.from(record.tokenDigest, 'hex'))) found = record;
    return found === undefined || (session !== undefined && session !== found.id) ? undefined : found;
  }

  end(id: string): boolean {
    const isKnown = this.#records.delete(id);
    if (isKnown) this.#keep();
    return isKnown;
  }

  /** Without a word to the store: they are somebody else's. */
  forget(): void {
    this.#records.clear();
  }

  #keep(): void {
    this.#store.set(this.list().filter(({ pid }) => pid !== null));
  }
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
