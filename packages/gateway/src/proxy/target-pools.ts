import { type buildConnector, Pool } from 'undici';
import { connectTo, type ProxyTarget, TargetAbsent } from './target.ts';

const sweepMs = 30_000;
/** Below the 5 seconds after which many servers close a connection that nobody uses. */
const keepAliveMs = 4_000;

/** How a kept connection broke. */
export interface ConnectionError extends NodeJS.ErrnoException {
  socket?: { bytesRead?: number };
}

/** Kept connections to each target, for as long as somebody uses them. */
export class TargetPools {
  readonly #pools = new Map<string, { pool: Pool; isFresh: boolean }>();
  readonly #sweep = setInterval(() => this.#closeUnused(), sweepMs).unref();

  of(target: ProxyTarget): Pool {
    const known = this.#pools.get(target.key);
    if (known !== undefined) {
      known.isFresh = true;
      return known.pool;
    }
    const pool = openPool(target);
    this.#pools.set(target.key, { pool, isFresh: true });
    return pool;
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    const open = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(open.map(({ pool }) => pool.destroy()));
  }

  #closeUnused(): void {
    for (const [key, entry] of this.#pools) {
      const isUsed = entry.isFresh || entry.pool.stats.size > 0;
      entry.isFresh = false;
      if (isUsed) continue;
      this.#pools.delete(key);
      void entry.pool.close();
    }
  }
}

function openPool(target: ProxyTarget): Pool {
  return new Pool('http://localhost', {
    connect: (_options, callback) => void handOver(target, callback),
    // One request at a time on each; how many there are at once is bounded for each session.
    pipelining: 1,
    connections: null,
    maxHeaderSize: 64 * 1024,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: 60_000,
    // Long polling and event streams are silent for as long as they like.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

async function handOver(target: ProxyTarget, callback: buildConnector.Callback): Promise<void> {
  const connection = await connectTo(target).catch((error: TargetAbsent) => error);
  if (connection instanceof TargetAbsent) return callback(connection, null);
  // undici tells this of the errors that it makes itself.
  connection.on('error', (error: ConnectionError) => {
    error.socket ??= { bytesRead: connection.bytesRead };
  });
  callback(null, connection);
}
