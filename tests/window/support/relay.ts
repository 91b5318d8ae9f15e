import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A port between a window and its gateway that can be cut. */
export interface Relay {
  port: number;
  /** Ends all connections that there are, as a bad network does. New ones are let through. */
  cut(): void;
  /** Lets none through until `restore`. */
  block(): void;
  restore(): void;
  close(): Promise<void>;
}

export async function openRelay(targetPort: number): Promise<Relay> {
  const open = new Set<Socket>();
  let isBlocked = false;
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  const server = createServer((near) => {
    if (isBlocked) return void near.destroy();
    const far = connect(targetPort, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    block() {
      isBlocked = true;
      cut();
    },
    restore() {
      isBlocked = false;
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
