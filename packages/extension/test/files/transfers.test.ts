import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Consent } from '../../src/consent/consent.ts';
import { heldUpload } from '../../src/files/held-upload.ts';
import { Transfers } from '../../src/files/transfers.ts';
import { StandInConsent } from '../support/stand-in-consent.ts';

test.each(['the session closes', 'the sender goes away'])(
  'an upload that waits for the user is withdrawn when %s',
  async (reason) => {
    const place = new WaitingUpload();
    await expect.poll(() => place.asked).toBe(1);
    expect(readFileSync(place.temporary!, 'utf8')).toBe('text');
    (reason === 'the session closes' ? place.closed : place.gone).abort();
    await expect(place.ended).rejects.toThrow('cancelled');
    expect(place.written).toBe(false);
    expect(existsSync(dirname(place.temporary!))).toBe(false);
    expect(place.shown).toEqual([expect.stringContaining('cancelled')]);
  },
);

test('an answer that comes after the withdrawal has no effect', async () => {
  const place = new WaitingUpload({ hearsAbort: false });
  await expect.poll(() => place.asked).toBe(1);
  place.closed.abort();
  await setImmediate();
  place.allow();
  await expect(place.ended).rejects.toThrow('cancelled');
  expect(place.written).toBe(false);
});

test('an upload that the user allows is written, and its temporary copy removed', async () => {
  const place = new WaitingUpload();
  await expect.poll(() => place.asked).toBe(1);
  place.allow();
  await place.ended;
  expect(place.written).toBe(true);
  expect(existsSync(dirname(place.temporary!))).toBe(false);
});

/** An upload as a window takes it, up to the question, without an editor. */
class WaitingUpload {
  readonly closed = new AbortController();
  readonly gone = new AbortController();
  readonly shown: string[] = [];
  readonly ended: Promise<void>;
  asked = 0;
  written = false;
  temporary: string | undefined;
  allow: () => void = () => undefined;
  readonly #directory = mkdtempSync(join(tmpdir(), 'fairlead-transfers-'));

  constructor({ hearsAbort = true } = {}) {
    onTestFinished(() => rmSync(this.#directory, { recursive: true, force: true }));
    const ask: Consent['ask'] = ({ signal }) => {
      this.asked += 1;
      return new Promise((resolve) => {
        this.allow = () => resolve({ kind: 'allowed' });
        if (hearsAbort) signal.addEventListener('abort', () => resolve({ kind: 'cancelled' }));
      });
    };
    const transfers = new Transfers({
      agent: { sessionId: 's1', name: 'Ada', owner: 'operator' },
      consent: Object.assign(new StandInConsent(), { ask }),
      activity: { begin: () => ({ end: ({ content }) => void this.shown.push(content) }) },
      closed: this.closed.signal,
    });
    const path = join(this.#directory, 'up.txt');
    const transfer = { capability: 'edit', path, title: `store ${path}`, gone: this.gone.signal } as const;
    this.ended = heldUpload(Readable.from([Buffer.from('text')]), 'up.txt', (temporary) => {
      this.temporary = temporary;
      return transfers.make(transfer, async () => void (this.written = true));
    });
    this.ended.catch(() => undefined);
  }
}
