import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

const keepAliveMs = 30_000;
/** For the last bytes, once the other side is closed. */
const lastBytesMs = 10_000;

/** No silence ends it; a peer that is gone without a word is noticed all the same. */
export function keepOpen(stream: Duplex): void {
  stream.on('error', () => undefined);
  if (!(stream instanceof Socket)) return;
  stream.setTimeout(0);
  stream.setNoDelay(true);
  stream.setKeepAlive(true, keepAliveMs);
}

/** Passes bytes both ways, no faster than each side takes them. Resolves when both are closed. */
export async function joinSockets(one: Duplex, other: Duplex, onTraffic: () => void): Promise<void> {
  await Promise.all([passOn(one, other, onTraffic), passOn(other, one, onTraffic)]);
}

/** Like `pipe`, with less on the way of each piece. */
function passOn(from: Duplex, to: Duplex, onTraffic: () => void): Promise<void> {
  return new Promise((resolve) => {
    from.on('data', (piece: Buffer) => {
      if (!to.write(piece)) from.pause();
      onTraffic();
    });
    to.on('drain', () => from.resume());
    from.on('end', () => to.end());
    from.resume();
    const closed = () => {
      resolve();
      // What ended in good order has told so by now, and its last bytes are on their way.
      if (!from.readableEnded) return void to.destroy();
      const timer = setTimeout(() => to.destroy(), lastBytesMs);
      to.once('close', () => clearTimeout(timer));
    };
    if (from.destroyed) closed();
    else from.once('close', closed);
  });
}
