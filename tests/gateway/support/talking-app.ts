import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepareSandboxBundle } from '@fairlead/sandbox/bundle';
import type { Caller } from './caller.ts';

/** Tells what it was asked, streams events at /events, and says on WebSockets what it hears, in short texts. */
const program = `
const { createHash } = require('node:crypto');
const server = require('node:http').createServer((request, response) => {
  if (request.url === '/events') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let number = 0;
    const timer = setInterval(() => response.write('data: ' + (number += 1) + '\\n\\n'), 20);
    return response.on('close', () => clearInterval(timer));
  }
  response.setHeader('set-cookie', 'own=1; Path=/');
  response.end(JSON.stringify({ path: request.url, headers: request.headers }));
});
server.on('upgrade', (request, socket) => {
  const key = request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
  const accept = createHash('sha1').update(key).digest('base64');
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n');
  socket.on('error', () => {});
  socket.on('data', (frame) => {
    const length = frame[1] & 127;
    const text = frame.subarray(6, 6 + length).map((byte, index) => byte ^ frame[2 + (index % 4)]);
    socket.write(Buffer.concat([Buffer.from([0x81, length]), text]));
  });
});
server.listen(Number(process.argv[2]), '127.0.0.1', () => require('node:fs').writeFileSync('listens', ''));
`;

/** Starts it on the first app port of a session, in the background, and waits until it listens. */
export async function startTalkingApp(owner: Caller, id: string, workspace: string): Promise<void> {
  const { command } = await prepareSandboxBundle();
  const node = command.slice(0, command.findIndex((word) => word.endsWith('/bin/node')) + 1).join(' ');
  writeFileSync(join(workspace, 'talking.cjs'), program);
  const start = `(${node} talking.cjs $APP_PORT_1 >talking.log 2>&1 &)`;
  await owner.run(id, `${start}; until [[ -e listens ]]; do sleep 0.02; done`);
}
