import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Kept } from '../kept.ts';
import { processStart } from './run-process.ts';

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
  /** When that process began; null where it is not known. */
  processStart: z.string().nullable().default(null),
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
    const tokenDigest = digest(token).toString('hex');
    this.#records.set(id, { id, name, tokenDigest, pid: null, processStart: null, port });
    return { run: { id, name }, token };
  }

  /** All that are kept for this workspace: also those of other windows that show it. */
  stored(): RunRecord[] {
    const stored = z.array(runRecord).safeParse(this.#store.get());
    return stored.success ? stored.data : [];
  }

  /** Takes up what an earlier extension host has left. */
  takeUp(records: readonly RunRecord[]): void {
    for (const record of records) this.#records.set(record.id, record);
  }

  /** From now on the run is known also after a reload of the window. */
  setProcess(id: string, pid: number): void {
    const record = this.#records.get(id);
    if (record === undefined) return;
    record.pid = pid;
    record.processStart = processStart(pid);
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
    if (isKnown) this.#keep(id);
    return isKnown;
  }

  /** Those of other windows are written back as they are. */
  #keep(endedId?: string): void {
    const others = this.stored().filter(({ id }) => id !== endedId && !this.#records.has(id));
    this.#store.set([...others, ...this.list().filter(({ pid }) => pid !== null)]);
  }
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
