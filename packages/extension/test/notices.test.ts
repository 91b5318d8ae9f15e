import { setTimeout as delay } from 'node:timers/promises';
import type { Acknowledgement, NoticeMessage } from '@fairlead/protocol';
import { expect, test } from 'vitest';
import { type Notice, NoticeQueue } from '../src/notices.ts';

const ada = { sessionId: 'aaaaaaaaaaaaaaaaaaaa', name: 'Ada', owner: 'operator' };
const bob = { sessionId: 'bbbbbbbbbbbbbbbbbbbb', name: 'Bob', owner: 'operator' };

test('what comes while the gateway is away is told in order when it is back', async () => {
  const queue = new NoticeQueue(() => undefined);
  for (const path of ['/1', '/2', '/3']) queue.send(ada, saved(path));
  const gateway = new StandIn();
  queue.attach(gateway.deliver);
  queue.send(ada, saved('/4'));
  await eventually(() => gateway.paths).toEqual(['/1', '/2', '/3', '/4']);
});

test('one that is not acknowledged is sent again under the same id, and none overtakes it', async () => {
  const queue = new NoticeQueue(() => undefined);
  const losing = new StandIn({ losesAnswers: true });
  queue.attach(losing.deliver);
  queue.send(ada, saved('/1'));
  queue.send(ada, saved('/2'));
  await eventually(() => losing.paths.length).toBeGreaterThan(0);
  queue.detach();
  const gateway = new StandIn();
  queue.attach(gateway.deliver);
  await eventually(() => gateway.paths).toEqual(['/1', '/2']);
  expect(new Set(losing.paths)).toEqual(new Set(['/1']));
  expect(gateway.messages[0]).toEqual(losing.messages[0]);
});

test('one that the gateway does not take is left out, and said so in the log', async () => {
  const logged: string[] = [];
  const queue = new NoticeQueue((line) => logged.push(line));
  const gateway = new StandIn({ refusal: 'There is no such session' });
  queue.attach(gateway.deliver);
  queue.send(ada, saved('/1'));
  queue.send(ada, saved('/2'));
  await eventually(() => gateway.paths).toEqual(['/1', '/2']);
  await eventually(() => logged).toHaveLength(2);
  expect(logged[0]).toContain('There is no such session');
});

test('those of a session that is over are forgotten', async () => {
  const queue = new NoticeQueue(() => undefined);
  queue.send(ada, saved('/ada'));
  queue.send(bob, saved('/bob'));
  queue.forget(ada.sessionId);
  const gateway = new StandIn();
  queue.attach(gateway.deliver);
  await eventually(() => gateway.paths).toEqual(['/bob']);
});

test('a gateway that is away for ever does not fill the memory', () => {
  const logged: string[] = [];
  const queue = new NoticeQueue((line) => logged.push(line));
  for (let n = 0; n < 10_005; n += 1) queue.send(ada, saved(`/${n}`));
  expect(logged).toHaveLength(5);
});

function saved(path: string): Notice {
  return { type: 'change', change: 'saved', path, newPath: null };
}

/** The other end of the connection. */
class StandIn {
  readonly messages: NoticeMessage[] = [];
  readonly #losesAnswers: boolean;
  readonly #refusal: string | undefined;

  constructor({ losesAnswers = false, refusal }: { losesAnswers?: boolean; refusal?: string } = {}) {
    this.#losesAnswers = losesAnswers;
    this.#refusal = refusal;
  }

  get paths(): string[] {
    return this.messages.map(({ notice }) => (notice.type === 'change' ? notice.path : notice.actionId));
  }

  readonly deliver = async (message: NoticeMessage): Promise<Acknowledgement> => {
    this.messages.push(message);
    await delay(1);
    if (this.#losesAnswers) throw new Error('the connection is lost');
    return this.#refusal === undefined ? { ok: true } : { ok: false, detail: this.#refusal };
  };
}

function eventually<Value>(ask: () => Value) {
  return expect.poll(ask, { timeout: 15_000 });
}
