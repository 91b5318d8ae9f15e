import type { SessionEvent } from '@fairlead/protocol';
import { describe, expect, it } from 'vitest';
import { createClient } from '@fairlead/client';
import { key, output, sessionId, state, TestGateway } from './support/test-gateway.ts';
import { useGateway } from './support/use-gateway.ts';

describe('watch', () => {
  const held = useGateway();

  it('tells the journal after a number, then what happens', async () => {
    const { gateway, client } = held;
    gateway.journal.push(state(1), state(2), state(3));
    const events = iterate(client.session(sessionId).watch({ after: 1 }));
    expect(await events.take(3)).toEqual([stateOf(2), stateOf(3), { type: 'live', seq: 3 }]);
    gateway.send([output(null, 'hi')]);
    expect(await events.take(1)).toMatchObject([{ type: 'output', data: 'hi' }]);
    await events.end();
  });

  it('goes on behind the last event when the connection breaks, and says that output may be missing', async () => {
    const { gateway, client } = held;
    gateway.journal.push(state(1), state(2));
    const events = iterate(client.session(sessionId).watch({ after: 0 }));
    expect(await events.take(3)).toMatchObject([{ seq: 1 }, { seq: 2 }, { type: 'live' }]);
    gateway.journal.push(state(3));
    gateway.cut();
    expect(await events.take(3)).toMatchObject([
      { type: 'lost-output' },
      { seq: 3 },
      { type: 'live', seq: 3 },
    ]);
    expect(gateway.watches.map(({ after }) => after)).toEqual([0, 2]);
    await events.end();
  });

  it('comes back when the gateway closes it in good order', async () => {
    const { gateway, client } = held;
    const events = iterate(client.session(sessionId).watch());
    expect(await events.take(1)).toMatchObject([{ type: 'live' }]);
    gateway.watches[0]?.socket.disconnect(true);
    expect(await events.take(2)).toMatchObject([{ type: 'lost-output' }, { type: 'live' }]);
    await events.end();
  });

  it('leaves out an event that it had already', async () => {
    const { gateway, client } = held;
    const events = iterate(client.session(sessionId).watch({ after: 0 }));
    await events.take(1);
    gateway.send([state(1), state(1), state(2), state(1)]);
    gateway.send([output(null, 'end')]);
    expect(await events.take(3)).toMatchObject([{ seq: 1 }, { seq: 2 }, { data: 'end' }]);
    await events.end();
  });

  it('passes over what only a newer gateway knows', async () => {
    const { gateway, client } = held;
    const events = iterate(client.session(sessionId).watch());
    await events.take(1);
    gateway.send([{ type: 'weather', seq: 9 }, output(null, 'known')]);
    expect(await events.take(1)).toMatchObject([{ data: 'known' }]);
    await events.end();
  });

  it('acknowledges a batch when it has been consumed, and not before', async () => {
    const { gateway, client } = held;
    const events = iterate(client.session(sessionId).watch());
    await events.take(1);
    gateway.send([output(null, 'a'), output(null, 'b')]);
    gateway.send([output(null, 'c')]);
    await events.take(2);
    await expect.poll(() => gateway.acknowledged).toBe(1);
    await events.take(1);
    await expect.poll(() => gateway.acknowledged).toBe(2);
    await events.end();
  });

  it('ends in good order at the signal, also while it waits', async () => {
    const abort = new AbortController();
    const events = iterate(held.client.session(sessionId).watch({ signal: abort.signal }));
    await events.take(1);
    const next = events.take(1);
    abort.abort();
    expect(await next).toEqual([]);
  });

  it('fails with the words of a gateway that refuses it', async () => {
    held.gateway.watchAnswer = { ok: false, status: 404, detail: 'Session not found' };
    const events = iterate(held.client.session(sessionId).watch());
    await expect(events.take(1)).rejects.toMatchObject({ code: 'not-found', status: 404 });
  });

  it('fails when the key is wrong', async () => {
    const client = createClient({ url: held.gateway.url, key: 'wrong' });
    const events = iterate(client.session(sessionId).watch());
    await expect(events.take(1)).rejects.toMatchObject({ code: 'unauthorized', message: 'Invalid API Key' });
  });

  it('fails at once when there is no gateway, and after a while when it does not come back', async () => {
    const gateway = await TestGateway.start();
    const client = createClient({ url: gateway.url, key, retryForMs: 300 });
    const events = iterate(client.session(sessionId).watch());
    await events.take(1);
    await gateway.close();
    await expect(events.take(1)).rejects.toMatchObject({ code: 'unreachable' });
    await expect(iterate(client.session(sessionId).watch()).take(1)).rejects.toMatchObject({
      code: 'unreachable',
    });
  });
});

function iterate(events: AsyncIterable<SessionEvent>) {
  const iterator = events[Symbol.asyncIterator]();
  return {
    async take(count: number): Promise<SessionEvent[]> {
      const taken: SessionEvent[] = [];
      while (taken.length < count) {
        const { done, value } = await iterator.next();
        if (done) break;
        taken.push(value);
      }
      return taken;
    },
    end: () => iterator.return?.(),
  };
}

function stateOf(seq: number): unknown {
  return expect.objectContaining({ type: 'state', seq });
}
