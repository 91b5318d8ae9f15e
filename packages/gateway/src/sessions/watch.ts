import type { JournalRecord, JournalStore } from '../store/store.ts';
import type { WatcherQueue } from './watcher-queue.ts';

const batchLimits = { records: 256, bytes: 1024 * 1024 };

/** The journal after a number, then what happens, until the signal or the end of the session. */
export async function* watch(
  journal: JournalStore,
  sessionId: string,
  queue: WatcherQueue,
  { after, signal }: { after?: number | undefined; signal: AbortSignal },
): AsyncGenerator<string[]> {
  let seenSeq = after;
  for (;;) {
    const next = await queue.next(signal);
    if (next === undefined || signal.aborted) return;
    if ('texts' in next) {
      yield next.texts;
      continue;
    }
    // Without a number to begin at, everything so far is old.
    seenSeq ??= next.upToSeq;
    while (seenSeq < next.upToSeq) {
      const records = await journal.read(sessionId, seenSeq, batchLimits);
      const wanted = records.filter(({ seq }) => seq <= next.upToSeq);
      if (wanted.length > 0) yield wanted.map(formatRecord);
      // Numbers that are not kept any more are passed over.
      seenSeq = wanted.at(-1)?.seq ?? next.upToSeq;
      if (signal.aborted) return;
    }
  }
}

/** A record of the journal as a `SessionEvent`, without parsing what it holds. */
function formatRecord(record: JournalRecord): string {
  const { type, seq, time } = record;
  if (record.type === 'state')
    return JSON.stringify({ type, seq, time, state: record.state, reason: record.reason });
  if (record.type === 'notice') {
    const head = JSON.stringify({ seq, time });
    return `${head.slice(0, -1)},${record.noticeJson.slice(1)}`;
  }
  const shell = record.type === 'action' ? { shell: record.shell } : {};
  const head = JSON.stringify({ type, seq, time, actionId: record.actionId, ...shell });
  return `${head.slice(0, -1)},"event":${record.eventJson}}`;
}
