import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { Bridge } from '../../packages/extension/src/bridge/bridge.ts';

// A window's bridge whose editor has nothing to do, and a WebSocket that sends back what it gets.
const bridge = new Bridge({
  store: { get: () => undefined, set: () => undefined },
  port: () => 0,
  restoreTimeoutMs: 0,
  handle: () => Promise.resolve({ files: [], active: null }),
  operations: { receive: () => false },
  submit: (_run, operationId) => ({ submitted: 'unknown', operationId }),
  left: () => undefined,
  runEnded: () => undefined,
  log: () => undefined,
});
const { env } = await bridge.begin('benchmark');

const echo = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
echo.on('connection', (socket) => socket.on('message', (data) => socket.send((data as Buffer).toString())));
await once(echo, 'listening');
const { port } = echo.address() as AddressInfo;

console.log(`ready ${JSON.stringify({ env, echo: `ws://127.0.0.1:${port}/` })} .`);
