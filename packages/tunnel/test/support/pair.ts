import type { Duplex } from 'node:stream';
import { type Frame, StreamMux } from '../../src/index.ts';

export interface Accepted {
  label: string;
  stream: Duplex;
}

/** Two ends of a tunnel in memory. Frames arrive in order and in a later turn, as on a wire. */
export function connectedPair(accept: (stream: Duplex) => void = () => undefined) {
  const sent = { near: [] as Frame[], far: [] as Frame[] };
  const arrived: Accepted[] = [];
  let arrival: () => void = () => undefined;
  const nearMux = new StreamMux((frame) => {
    sent.near.push(frame);
    setImmediate(() => farMux.receive(frame));
  });
  const farMux = new StreamMux(
    (frame) => {
      sent.far.push(frame);
      setImmediate(() => nearMux.receive(frame));
    },
    (label, stream) => {
      accept(stream);
      arrived.push({ label, stream });
      arrival();
    },
  );
  return {
    nearMux,
    farMux,
    sent,
    close() {
      nearMux.close();
      farMux.close();
    },
    async accepted(count: number): Promise<Accepted[]> {
      while (arrived.length < count) {
        await new Promise<void>((resolve) => {
          arrival = resolve;
        });
      }
      return arrived;
    },
  };
}

/** One stream with both its ends. */
export async function openPair(label = 'stream') {
  const pair = connectedPair();
  const near = pair.nearMux.open(label);
  const [first] = await pair.accepted(1);
  return { ...pair, near, far: first!.stream, label: first!.label };
}
