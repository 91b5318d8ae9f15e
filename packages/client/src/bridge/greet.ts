import type { Socket } from 'node:net';
import { bridgeProtocolVersion, welcomeFrame } from '@fairlead/protocol';
import { type RawData, WebSocket } from 'ws';
import { type BridgeError, notABridge, notUnderstood, refused } from './bridge-error.ts';
import type { BridgeEndpoint } from './endpoint.ts';

/** A WebSocket on which the window has said welcome. */
export interface Greeted {
  socket: WebSocket;
  /** Decides whether the connection keeps the process alive. */
  setActive(isActive: boolean): void;
  serverId: string;
  isResumed: boolean;
}

const replyLimitBytes = 64 * 1024 * 1024;
const connectTimeoutMs = 5_000;

/** A `BridgeError` says that trying again is of no use. */
export async function greet(
  endpoint: BridgeEndpoint,
  clientId: string,
  onFrame: (frame: unknown) => void,
): Promise<Greeted> {
  let connection: Socket | undefined;
  const setActive = (isActive: boolean) => void (isActive ? connection?.ref() : connection?.unref());
  const socket = new WebSocket(endpoint.address, {
    headers: { authorization: `Bearer ${endpoint.token}` },
    maxPayload: replyLimitBytes,
    perMessageDeflate: false,
    handshakeTimeout: connectTimeoutMs,
  });
  const timer = setTimeout(() => socket.terminate(), connectTimeoutMs);
  const { promise, resolve, reject } = Promise.withResolvers<Greeted>();
  socket.on('upgrade', (response) => (connection = response.socket));
  socket.on('error', reject);
  socket.on('unexpected-response', (_, response) => {
    const status = response.statusCode ?? 0;
    const isRefused = status === 401 || status === 403;
    reject(
      isRefused ? refused(`HTTP status ${status}`) : notABridge(endpoint.address, `HTTP status ${status}`),
    );
    socket.terminate();
  });
  socket.on('close', (code, reason) => {
    const text = reason.toString();
    reject(finalLoss(code, text) ?? new Error(text || 'the connection was closed during the greeting'));
  });
  socket.on('open', () => {
    const { session } = endpoint;
    socket.send(
      JSON.stringify({ type: '$/hello', protocolVersion: bridgeProtocolVersion, session, clientId }),
    );
  });
  socket.once('message', (data) => {
    const welcome = welcomeFrame.safeParse(parse(data));
    if (!welcome.success) {
      reject(notABridge(endpoint.address, 'it does not answer the greeting with a welcome'));
      return socket.close();
    }
    socket.on('message', (data) => onFrame(parse(data)));
    resolve({ socket, setActive, ...welcome.data });
  });
  return promise.finally(() => clearTimeout(timer));
}

/** What it means for good that the window closed the connection so; undefined when it is worth to connect again. */
export function finalLoss(code: number, reason: string): BridgeError | undefined {
  if (code === 1001 || code === 1008) return refused(reason);
  const isMisunderstanding = code === 1002 || code === 1003 || code === 1007 || code === 1009;
  return isMisunderstanding ? notUnderstood(reason) : undefined;
}

function parse(data: RawData): unknown {
  try {
    return JSON.parse((data as Buffer).toString('utf8'));
  } catch {
    return undefined;
  }
}
