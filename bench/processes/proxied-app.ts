// An app of a session on the port it is told: small answers, one of any size, and a WebSocket that echoes.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { WebSocketServer } from 'ws';

const small = JSON.stringify({ status: 'ok', items: [1, 2, 3] });
const block = Buffer.alloc(64 * 1024, 'x');

function answer(request: IncomingMessage, response: ServerResponse): void {
  const bytes = Number(/\/bytes\/(\d+)$/.exec(request.url ?? '')?.[1] ?? -1);
  if (bytes < 0) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': small.length });
    return void response.end(small);
  }
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': bytes });
  let left = bytes;
  const send = () => {
    while (left > 0) {
      const piece = left < block.length ? block.subarray(0, left) : block;
      left -= piece.length;
      if (!response.write(piece) && left > 0) return void response.once('drain', send);
    }
    response.end();
  };
  send();
}

// A bare proxy does not bear that a connection which it has kept is closed between two turns.
const options = { keepAliveTimeout: 600_000 };
const server = createServer(options, answer);
new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (socket) => {
  socket.on('message', (data, isBinary) => socket.send(data as Buffer, { binary: isBinary }));
});
server.listen(Number(process.argv[2]), '127.0.0.1');
