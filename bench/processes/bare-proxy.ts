// The least that passes requests and sockets on: node:http on both sides, kept connections, headers as they are, and no
// check at all.
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

const app = { host: '127.0.0.1', port: Number(process.argv[2]) };
const agent = new Agent({ keepAlive: true });

const server = createServer((incoming, response) => {
  const { method, url: path, headers } = incoming;
  const outgoing = request({ ...app, agent, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  incoming.pipe(outgoing);
});
server.on('upgrade', ({ url, rawHeaders }: IncomingMessage, socket: Socket) => {
  const connection = connect(app);
  const headers = rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`));
  connection.write(`GET ${url} HTTP/1.1\r\n${headers.join('')}\r\n`);
  for (const [from, to] of [
    [socket, connection],
    [connection, socket],
  ] as const) {
    from.setNoDelay(true);
    from.on('data', (piece) => to.write(piece));
    from.on('error', () => undefined);
    from.on('close', () => to.destroy());
  }
});
server.listen(0, '127.0.0.1', () => console.log(`port ${(server.address() as AddressInfo).port} `));
