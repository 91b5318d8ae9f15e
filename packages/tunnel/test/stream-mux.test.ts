import { createServer, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { maxFrameBytes, StreamMux } from '../src/index.ts';
import { encodeFrame } from '../src/frames.ts';
import { windowBytes } from '../src/mux-stream.ts';
import { connectedPair, openPair } from './support/pair.ts';

describe('a stream of a tunnel', () => {
  it('carries bytes both ways under its label', async () => {
    const { near, far, label } = await openPair('session-1');
    expect(label).toBe('session-1');
    near.end('question');
    expect(await text(far)).toBe('question');
    far.end('answer');
    expect(await text(near)).toBe('answer');
  });

  it('keeps one direction open after the other has ended', async () => {
    const { near, far } = await openPair();
    near.end();
    expect(await text(far)).toBe('');
    far.write('still ');
    far.end('here');
    expect(await text(near)).toBe('still here');
  });

  it('carries any bytes in any pieces unchanged and in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 90_000 }), { maxLength: 12 }), async (pieces) => {
        const { near, far } = await openPair();
        const received = buffer(far);
        for (const piece of pieces) near.write(piece);
        near.end();
        expect((await received).equals(Buffer.concat(pieces))).toBe(true);
        far.destroy();
      }),
      { numRuns: 30 },
    );
  });

  it('sends no frame for flow control in a short exchange', async () => {
    const { near, far, sent } = await openPair();
    near.end('x'.repeat(10_000));
    await text(far);
    far.end('y'.repeat(10_000));
    await text(near);
    expect(sent.near.map(kindOf)).toEqual(['open', 'data', 'end']);
    expect(sent.far.map(kindOf)).toEqual(['data', 'end']);
  });

  it('stops sending to a reader that does not read, and goes on when it does', async () => {
    const { near, far, sent } = await openPair();
    const whole = Buffer.alloc(4 * 1024 * 1024, 'z');
    near.end(whole);
    await turn();
    expect(totalBytes(sent.near)).toBeLessThan(2 * windowBytes);
    expect(near.writableFinished).toBe(false);
    expect((await buffer(far)).equals(whole)).toBe(true);
    expect(Math.max(...sent.near.map((frame) => frame.length))).toBeLessThanOrEqual(maxFrameBytes);
  });

  it('holds up no other stream while it is not read', async () => {
    const pair = connectedPair();
    const stuck = pair.nearMux.open('stuck');
    const other = pair.nearMux.open('other');
    const [, otherFar] = await pair.accepted(2);
    stuck.write(Buffer.alloc(1024 * 1024));
    other.end('quick');
    expect(await text(otherFar!.stream)).toBe('quick');
    pair.close();
  });

  it('tells the other side when it is destroyed, with the reason', async () => {
    const { near, far } = await openPair();
    near.destroy(new Error('the session was closed'));
    expect(await failure(far)).toMatchObject({ code: 'ECONNRESET', message: 'the session was closed' });
  });

  it('ends with the tunnel, on both sides', async () => {
    const { near, far, close } = await openPair();
    const both = Promise.all([failure(near), failure(far)]);
    close();
    for (const error of await both) expect(error).toMatchObject({ code: 'ECONNRESET' });
  });

  it('carries HTTP', async () => {
    const server = createServer((incoming, answer) => {
      incoming.pipe(answer);
    });
    const pair = connectedPair((stream) => server.emit('connection', stream));
    onTestFinished(() => pair.close());
    const body = Buffer.alloc(1_000_000, 'abc');
    const answer = await new Promise<Buffer>((resolve, reject) => {
      const call = request(
        { method: 'POST', createConnection: () => pair.nearMux.open('http') },
        (incoming) => {
          buffer(incoming).then(resolve, reject);
        },
      );
      call.once('error', reject);
      call.end(body);
    });
    expect(answer.equals(body)).toBe(true);
  });
});

describe('a tunnel with a hostile peer', () => {
  it.each([
    ['text', 'not binary'],
    [new Uint8Array(3), 'only 3 bytes'],
    [new Uint8Array(maxFrameBytes + 1), 'more than'],
    [Uint8Array.of(9, 0, 0, 0, 1), 'unknown kind 9'],
    [encodeFrame('open', 1, Buffer.alloc(300, 'l')), 'a label has 300 bytes'],
    [encodeFrame('credit', 1, Buffer.alloc(3)), 'a credit has 3 bytes'],
  ])('ends at a frame that cannot be read (%#)', async (frame, fault) => {
    const { near, nearMux } = await openPair();
    const ended = failure(near);
    nearMux.receive(frame);
    expect((await ended).message).toContain(fault);
    expect(nearMux.isClosed).toBe(true);
    expect(() => nearMux.open('again')).toThrow('broke its rules');
  });

  it('keeps no more of a stream than its window', async () => {
    const { near, nearMux } = await openPair();
    const ended = failure(near);
    let frames = 0;
    while (!nearMux.isClosed) {
      nearMux.receive(encodeFrame('data', 1, Buffer.alloc(16_000)));
      frames += 1;
    }
    expect(frames * 16_000).toBeLessThan(2 * windowBytes);
    expect((await ended).message).toContain('more than it was allowed');
  });

  it('keeps few of very many tiny frames', async () => {
    const { near, nearMux } = await openPair();
    const ended = failure(near);
    let frames = 0;
    while (!nearMux.isClosed) {
      nearMux.receive(encodeFrame('data', 1, Buffer.alloc(0)));
      frames += 1;
    }
    expect(frames).toBeLessThan(10_000);
    await ended;
  });

  it('is not told that it may send more than a window', async () => {
    const { near, nearMux } = await openPair();
    const ended = failure(near);
    nearMux.receive(encodeFrame('credit', 1, Buffer.of(255, 255, 255, 255)));
    expect((await ended).message).toContain('more than a window');
  });

  it('refuses data after the end of a stream', async () => {
    const { near, nearMux } = await openPair();
    const ended = failure(near);
    nearMux.receive(encodeFrame('end', 1));
    nearMux.receive(encodeFrame('data', 1, Buffer.from('late')));
    expect((await ended).message).toContain('broke its rules');
  });

  it('accepts no streams where it only opens them, and no number twice', () => {
    const opening = new StreamMux(() => undefined);
    opening.receive(encodeFrame('open', 1, Buffer.from('x')));
    expect(opening.isClosed).toBe(true);
    const accepting = new StreamMux(
      () => undefined,
      () => undefined,
    );
    accepting.receive(encodeFrame('open', 4, Buffer.from('x')));
    expect(accepting.isClosed).toBe(false);
    accepting.receive(encodeFrame('open', 4, Buffer.from('x')));
    expect(accepting.isClosed).toBe(true);
  });

  it('accepts a bounded number of streams', () => {
    const accepted: Duplex[] = [];
    const mux = new StreamMux(
      () => undefined,
      (_label, stream) => accepted.push(stream),
    );
    for (let number = 1; !mux.isClosed; number += 1) mux.receive(encodeFrame('open', number));
    expect(accepted).toHaveLength(256);
    expect(accepted.every((stream) => stream.destroyed)).toBe(true);
  });

  it('does not mind frames of a stream that was closed a moment ago', async () => {
    const { near, nearMux } = await openPair();
    near.destroy();
    nearMux.receive(encodeFrame('data', 1, Buffer.from('late')));
    nearMux.receive(encodeFrame('credit', 77, Buffer.alloc(4)));
    expect(nearMux.isClosed).toBe(false);
  });
});

/** Unlike `node:stream/consumers`, leaves the other direction alone. */
function text(stream: Duplex): Promise<string> {
  return new Promise((resolve, reject) => {
    let whole = '';
    stream.on('data', (chunk: Buffer) => {
      whole += chunk.toString();
    });
    stream.once('end', () => resolve(whole));
    stream.once('error', reject);
  });
}

function failure(stream: Duplex): Promise<Error & { code?: string }> {
  return new Promise((resolve) => stream.once('error', resolve));
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function kindOf(frame: Uint8Array): string | undefined {
  return ['open', 'data', 'end', 'reset', 'credit'][frame[0] ?? -1];
}

function totalBytes(frames: Uint8Array[]): number {
  return frames.reduce((sum, frame) => sum + frame.length, 0);
}
