import type { Server } from 'node:http';

const ticksPerLease = 60;

export interface Lease {
  /** Resolves when nobody has asked for anything for the time of the lease. */
  readonly ended: Promise<void>;
  close(): void;
}

/**
 * Watches whether anybody still wants the server: requests renew the lease, and it does not run while one is being
 * answered or a WebSocket is open. Ticks are counted, not the time: a server that was frozen has not been left alone.
 */
export function holdLease(http: Server, leaseSeconds: number): Lease {
  let ticks = 0;
  let visitors = 0;
  http.on('request', (_request, response) => visit(response));
  http.on('upgrade', (_request, connection) => visit(connection));
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<void>((resolve) => {
    timer = setInterval(
      () => {
        ticks = visitors > 0 ? 0 : ticks + 1;
        if (ticks > ticksPerLease) resolve();
      },
      (leaseSeconds * 1000) / ticksPerLease,
    );
  });
  return { ended, close: () => clearInterval(timer) };

  function visit(visitor: { once(event: 'close', listener: () => void): unknown }): void {
    ticks = 0;
    visitors += 1;
    visitor.once('close', () => {
      ticks = 0;
      visitors -= 1;
    });
  }
}
