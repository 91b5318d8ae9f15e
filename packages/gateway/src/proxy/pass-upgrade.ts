import { type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EarlyBytes } from './early-bytes.ts';
import { joinSockets, keepOpen } from './join-sockets.ts';
import { requestHeaders } from './request-headers.ts';
import { responseHeaders } from './response-headers.ts';
import { type ProxyRules, targetPath } from './rules.ts';
import { connectTo, type ProxyTarget } from './target.ts';
import { isFinalStatus, UnreadableAnswer } from './unreadable-answer.ts';

export interface Upgrade {
  request: IncomingMessage;
  socket: Duplex;
  /** What the client has sent behind its request already. */
  head: Buffer;
  /** For an answer that is none; made only then, and once. */
  response(): ServerResponse;
}

/**
 * One WebSocket, from its handshake to its end, byte for byte. Rejects when the server failed before it answered.
 */
export async function passUpgrade(upgrade: Upgrade, target: ProxyTarget, rules: ProxyRules): Promise<void> {
  const { socket, head } = upgrade;
  const early = new EarlyBytes(socket, head);
  const connection = await connectTo(target);
  if (socket.destroyed) return void connection.destroy();
  keepOpen(connection);
  const closed = () => connection.destroy();
  socket.once('close', closed);
  try {
    const answer = await shakeHands(upgrade, connection, rules);
    switch (answer.kind) {
      case 'refused':
        early.drop();
        return await passRefusal(upgrade, answer.message, rules);
      case 'accepted': {
        socket.off('close', closed);
        const earlyBytes = early.take();
        socket.write(acceptance(answer.message, rules), 'latin1');
        if (earlyBytes.length > 0) connection.write(earlyBytes);
        if (answer.head.length > 0) socket.write(answer.head);
        return await joinSockets(socket, connection, () => target.touch());
      }
      case 'left':
    }
  } finally {
    connection.destroy();
  }
}

async function passRefusal(
  { socket, response }: Upgrade,
  message: IncomingMessage,
  rules: ProxyRules,
): Promise<void> {
  const { statusCode, rawHeaders } = message;
  if (!isFinalStatus(statusCode)) throw new UnreadableAnswer(statusCode);
  const refusal = response().writeHead(statusCode, responseHeaders(rawHeaders, rules));
  await pipeline(message, refusal).catch(() => socket.destroy());
}

/** Nothing but WebSockets, whatever else the two would like to speak. */
const switching = ['Connection', 'Upgrade', 'Upgrade', 'websocket'];

type Answer =
  | { kind: 'accepted'; message: IncomingMessage; head: Buffer }
  | { kind: 'refused'; message: IncomingMessage }
  | { kind: 'left' };

function shakeHands({ request, socket }: Upgrade, connection: Duplex, rules: ProxyRules): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({
      createConnection: () => connection,
      method: 'GET',
      path: targetPath(request.url ?? '/', rules),
      headers: requestHeaders(request.rawHeaders, rules).concat(switching),
      setHost: false,
    });
    sent.on('upgrade', (message, _connection, head) => resolve({ kind: 'accepted', message, head }));
    sent.on('response', (message) => resolve({ kind: 'refused', message }));
    sent.on('error', (error) => (socket.destroyed ? resolve({ kind: 'left' }) : reject(error)));
    sent.end();
  });
}

function acceptance({ rawHeaders }: IncomingMessage, rules: ProxyRules): string {
  const headers = responseHeaders(rawHeaders, rules).concat(switching);
  let text = 'HTTP/1.1 101 Switching Protocols\r\n';
  for (let index = 0; index < headers.length; index += 2)
    text += `${headers[index]}: ${headers[index + 1]}\r\n`;
  return `${text}\r\n`;
}
