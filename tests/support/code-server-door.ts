import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A port of this machine behind which is the Unix socket of an editor, and nothing in between. */
export interface Door {
  url: string;
  close(): Promise<void>;
}

export async function openDoor(socketPath: string): Promise<Door> {
  const open = new Set<Socket>();
  const server = createServer((visitor) => {
    const editor = connect(socketPath);
    for (const [one, other] of [
      [visitor, editor],
      [editor, visitor],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => open.delete(one));
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
