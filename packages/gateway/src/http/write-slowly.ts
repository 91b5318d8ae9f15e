import type { Writable } from 'node:stream';

/** A reader that takes nothing for this long is given up, so that nothing is kept for it. */
const stallLimitMs = 60_000;

/** Resolves when there is room for more, or nobody is left to write to. */
export async function writeSlowly(stream: Writable, chunk: string | Uint8Array): Promise<void> {
  if (stream.destroyed || stream.write(chunk)) return;
  await new Promise<void>((resolve) => {
    const stalled = setTimeout(() => stream.destroy(), stallLimitMs);
    const go = () => {
      clearTimeout(stalled);
      stream.off('drain', go);
      stream.off('close', go);
      resolve();
    };
    stream.on('drain', go);
    stream.on('close', go);
  });
}
