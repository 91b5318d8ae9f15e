import type { Identification } from './identity.ts';
import { LineWriter } from './line-writer.ts';

export interface AuditedRequest {
  method: string;
  path: string;
  remoteAddress: string | undefined;
}

const maximumPathLength = 256;
const maximumFileBytes = 32 * 1024 * 1024;

/** A line of JSON for every authentication decision, without any secret. */
export class AuditLog {
  readonly #lines: LineWriter;

  constructor(path: string, log: (line: string) => void) {
    this.#lines = new LineWriter({ path, maximumFileBytes, log });
  }

  /** Does not wait for the disk. */
  record(request: AuditedRequest, outcome: Identification): void {
    this.#lines.write(
      JSON.stringify({
        time: new Date().toISOString(),
        ...decisionOf(outcome),
        method: request.method,
        path: shownPath(request.path),
        remoteAddress: request.remoteAddress ?? null,
      }),
    );
  }

  /** Resolves when all lines are on the disk, or known to be lost. */
  close(): Promise<void> {
    return this.#lines.close();
  }
}

function decisionOf(outcome: Identification): Record<string, string | null> {
  if (outcome.kind === 'refused') {
    const { reason, keyId, sessionId } = outcome;
    return { decision: 'deny', reason, by: null, owner: null, keyId, sessionId };
  }
  const { by, owner, keyId, sessionId } = outcome.identity;
  return { decision: 'allow', reason: null, by, owner: owner.name, keyId, sessionId };
}

/** The query may have a ticket; a key in the path is somebody's mistake, and must not be kept all the same. */
function shownPath(path: string): string {
  const [withoutQuery = ''] = path.split('?', 1);
  const shown = withoutQuery.replaceAll(/(f[lsw](?:_|%5f)[a-z0-9]{12,20})(?:_|%5f)[\w%-]*/gi, '$1_…');
  return shown.slice(0, maximumPathLength);
}
