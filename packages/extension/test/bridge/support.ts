import { once } from 'node:events';
import { request } from 'node:http';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { Call } from '../../src/bridge/answer.ts';
import { Bridge, type BridgeParts } from '../../src/bridge/bridge.ts';
import type { Kept } from '../../src/kept.ts';
import { keptInMemory } from '../support/kept-in-memory.ts';

export interface TestBridge {
  bridge: Bridge;
  /** What reached the handler, in order. */
  calls: { type: string; params: Record<string, unknown>; call: Call }[];
  left: string[];
  ended: { runId: string; exitCode: number | null }[];
  stored: Kept;
}

/** A bridge on a real port, whose handler the test writes. */
export function openBridge(
  handle: (
    type: string,
    params: Record<string, unknown>,
    call: Call,
  ) => Promise<Record<string, unknown>> | Record<string, unknown>,
  parts: Partial<BridgeParts> = {},
  stored = keptInMemory(),
): TestBridge {
  const test: Omit<TestBridge, 'bridge'> = { calls: [], left: [], ended: [], stored };
  const bridge = new Bridge({
    handle: async ({ type, params }, call) => {
      test.calls.push({ type, params, call });
      return handle(type, params, call);
    },
    operations: { receive: () => false },
    submit: (_run, operationId) => ({ submitted: 'unknown', operationId }),
    left: (callerId) => test.left.push(callerId),
    store: stored,
    port: () => 0,
    restoreTimeoutMs: 500,
    runEnded: (runId, exitCode) => test.ended.push({ runId, exitCode }),
    log: () => undefined,
    ...parts,
  });
  onTestFinished(() => bridge.close());
  return { ...test, bridge };
}

export interface Peer {
  socket: WebSocket;
  send(frame: unknown): void;
  /** The next frame. */
  next(): Promise<Record<string, unknown>>;
  /** How the window closed it. */
  closed: Promise<{ code: number; reason: string }>;
}

export async function connect(address: string, headers: Record<string, string> = {}): Promise<Peer> {
  const socket = new WebSocket(address, { headers });
  onTestFinished(() => socket.terminate());
  const frames: Record<string, unknown>[] = [];
  const waiting: ((frame: Record<string, unknown>) => void)[] = [];
  socket.on('message', (data) => {
    const frame = JSON.parse((data as Buffer).toString('utf8')) as Record<string, unknown>;
    const taken = waiting.shift();
    if (taken === undefined) frames.push(frame);
    else taken(frame);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  await once(socket, 'open');
  return {
    socket,
    closed,
    send: (frame) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    next: () =>
      new Promise((resolve) => {
        const frame = frames.shift();
        if (frame === undefined) waiting.push(resolve);
        else resolve(frame);
      }),
  };
}

/** Connects and says hello, as our own clients do. */
export async function greet(
  env: Record<string, string>,
  clientId?: string,
): Promise<Peer & { welcome: Record<string, unknown> }> {
  const peer = await connect(env['FAIRLEAD_RUN_BRIDGE_ADDR']!);
  peer.send({ type: '$/hello', protocolVersion: 1, token: env['FAIRLEAD_RUN_BRIDGE_TOKEN'], clientId });
  return { ...peer, welcome: await peer.next() };
}

/** The address as the existing client uses it. */
export function olderAddress(env: Record<string, string>, token = env['EVOLVE_RUN_BRIDGE_TOKEN']!): string {
  const query = new URLSearchParams({ token, session: env['EVOLVE_RUN_BRIDGE_SESSION']! });
  return `${env['EVOLVE_RUN_BRIDGE_ADDR']}?${query}`;
}

export function httpAddress(env: Record<string, string>): string {
  return env['FAIRLEAD_RUN_BRIDGE_ADDR']!.replace('ws:', 'http:');
}

export async function post(
  address: string,
  body: string,
  headers: Record<string, string>,
): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const sent = request(address, { method: 'POST', headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          body: JSON.parse(Buffer.concat(chunks).toString()) as unknown,
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
