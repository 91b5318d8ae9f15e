import type { LookupFunction } from 'node:net';
import { WebSocket } from 'ws';

const thisMachine: LookupFunction = (_name, options, callback) => {
  const address = { address: '127.0.0.1', family: 4 };
  if (options.all) callback(null, [address]);
  else callback(null, address.address, address.family);
};

/** Asks for a socket as a browser does, whatever the name of the host; answers with the status. */
export function openSocket(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers, lookup: thisMachine, rejectUnauthorized: false });
    socket.on('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.on('unexpected-response', (request, response) => {
      request.destroy();
      resolve(response.statusCode ?? 0);
    });
    socket.on('error', reject);
  });
}
