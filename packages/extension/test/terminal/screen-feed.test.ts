import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ScreenFeed } from '../../src/terminal/screen-feed.ts';

const reset = '\x1bc';

/** A feed whose recent output is all that was pushed, or the last of it. */
function startFeed({ recentLimit = 256 * 1024 } = {}) {
  const written: string[] = [];
  let all = Buffer.alloc(0);
  const feed = new ScreenFeed({
    write: (text) => written.push(text),
    recent: () => all.subarray(-recentLimit),
  });
  onTestFinished(() => feed.end());
  return {
    feed,
    written,
    push(bytes: Uint8Array | string) {
      const chunk = Buffer.from(bytes);
      all = Buffer.concat([all, chunk]).subarray(-2 * 1024 * 1024);
      feed.push(chunk);
    },
  };
}

describe('what a terminal tab is fed', () => {
  test('a little is shown at once, and a burst soon after, in order', async () => {
    const { feed, written, push } = startFeed();
    feed.begin();
    await delay(50);
    push('a');
    expect(written.join('')).toBe('a');
    push('b');
    push('c');
    await expect.poll(() => written.join('')).toBe('abc');
  });

  test('who opens a tab late sees what is recent, then what comes', async () => {
    const { feed, written, push } = startFeed();
    push('earlier ');
    written.length = 0;
    feed.begin();
    push('later');
    await expect.poll(() => written.join('')).toBe('earlier later');
  });

  test('a character that comes in pieces is never shown in pieces', async () => {
    const { feed, written, push } = startFeed();
    feed.begin();
    const bytes = Buffer.from('a€😀é');
    for (const byte of bytes) {
      push(Buffer.from([byte]));
      await delay(1);
    }
    await expect.poll(() => written.join('')).toBe('a€😀é');
    for (const text of written) expect(text).not.toContain('\ufffd');
  });

  test('recent output that begins within a character begins with the next one', async () => {
    const { feed, written, push } = startFeed({ recentLimit: 4 });
    push('€€');
    written.length = 0;
    feed.begin();
    expect(written.join('')).toBe('€');
  });

  test('a flood of 300 MB costs a few pictures of it, and ends with its end', async () => {
    const { feed, written, push } = startFeed();
    feed.begin();
    const chunk = Buffer.alloc(64 * 1024, 'x'.repeat(79) + '\n');
    for (let count = 0; count < 300 * 16; count += 1) {
      feed.push(chunk);
      if (count % 64 === 0) await delay(0);
    }
    push('\r\nthe end');
    await expect.poll(() => written.join('').endsWith('the end'), { timeout: 5_000 }).toBe(true);
    expect(written.join('').length).toBeLessThan(8 * 1024 * 1024);
    expect(written.join('')).toContain(reset);
  });
});
