/** What stands before the event in a line; lines are read back without parsing the event itself. */
export type LineHead =
  | {
      type: 'action';
      seq: number;
      time: string;
      actionId: string;
      shell: string;
      timeout?: number;
      retry?: RetryMark;
    }
  | { type: 'observation'; seq: number; time: string; actionId: string; retry?: RetryMark }
  /** Numbers up to `seq` may have been given to live output, which is not kept. */
  | { type: 'reserved'; seq: number };

/** How a repeated request is known again. */
export interface RetryMark {
  key: string;
  bodyHash: string;
  /** Recorded so that it is never run. */
  isWithdrawn?: true;
}

// Inside a JSON string its quotes would be escaped, so the first one found is the field.
const eventField = ',"event":';

export function formatLine(head: LineHead, eventJson?: string): string {
  const text = JSON.stringify(head);
  return eventJson === undefined ? text : `${text.slice(0, -1)}${eventField}${eventJson}}`;
}

/** Undefined for a line that is damaged. */
export function parseHead(line: Buffer): LineHead | undefined {
  const end = line.indexOf(eventField);
  const text = end < 0 ? line.toString('utf8') : `${line.toString('utf8', 0, end)}}`;
  try {
    const head = JSON.parse(text) as LineHead;
    return Number.isSafeInteger(head.seq) ? head : undefined;
  } catch {
    return undefined;
  }
}

export function eventOf(line: string): string {
  return line.slice(line.indexOf(eventField) + eventField.length, -1);
}

/** The line as watchers get it: without what is for retries and restarts only. */
export function streamEventOf(line: string): string {
  const head = parseHead(Buffer.from(line));
  if (head === undefined || head.type === 'reserved') return line;
  const event = { ...head, retry: undefined, timeout: undefined };
  return `${JSON.stringify(event).slice(0, -1)}${eventField}${eventOf(line)}}`;
}
