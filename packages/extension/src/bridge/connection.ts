import { bridgeProtocolVersion, helloFrame, type ReplyFrame } from '@fairlead/protocol';
import type { RawData, WebSocket } from 'ws';
import type { BridgeClient } from './client.ts';
import type { Credentials } from './credentials.ts';
import type { BridgeRun } from './runs.ts';

export interface ConnectionParts {
  serverId: string;
  authorise(credentials: Credentials): BridgeRun | undefined;
  /** The client of that id and run, made if it is not there; without an id always a new one. */
  clientOf(run: BridgeRun, clientId: string | undefined): { client: BridgeClient; isResumed: boolean };
}

export interface Connection {
  readonly runId: string | undefined;
  close(code: number, reason: string): void;
}

const helloTimeoutMs = 5_000;
/** Of a frame from somebody who has not shown a token yet. */
const strangerLimitBytes = 4096;
/** Close codes of a client that means it: with 1005 it gave none. */
const farewells = new Set([1000, 1001, 1005]);
const pauseAboveBytes = 8 * 1024 * 1024;
const closeTimeoutMs = 500;

/** One WebSocket, from its first frame on: who it is, then its requests. */
export class SocketConnection implements Connection {
  readonly #socket: WebSocket;
  readonly #parts: ConnectionParts;
  readonly #timer: NodeJS.Timeout;
  #run: BridgeRun | undefined;
  #client: BridgeClient | undefined;

  constructor(socket: WebSocket, run: BridgeRun | undefined, parts: ConnectionParts) {
    this.#socket = socket;
    this.#parts = parts;
    this.#run = run;
    this.#timer = setTimeout(
      () => this.#run === undefined && this.close(1008, 'Unauthorized'),
      helloTimeoutMs,
    );
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('close', (code) => {
      clearTimeout(this.#timer);
      this.#client?.disconnect(this.#send, farewells.has(code));
    });
  }

  get runId(): string | undefined {
    return this.#run?.id;
  }

  close(code: number, reason: string): void {
    clearTimeout(this.#timer);
    closeSocket(this.#socket, code, reason);
  }

  #receive(data: RawData, isBinary: boolean): void {
    // What comes while it closes is not heard: the run may have ended.
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    const bytes = data as Buffer;
    if (this.#run === undefined && bytes.length > strangerLimitBytes) return this.close(1008, 'Unauthorized');
    const frame = isBinary ? undefined : parse(bytes);
    if (this.#client !== undefined) return frame === undefined ? this.#refuse() : this.#client.receive(frame);
    const hello = helloFrame.safeParse(frame);
    if (hello.success) return this.#hello(hello.data);
    if (this.#run === undefined) return this.close(1008, 'Unauthorized');
    if (isHello(frame)) return this.close(1002, 'the $/hello is not valid');
    this.#client = this.#parts.clientOf(this.#run, undefined).client;
    this.#client.connect(this.#send);
    if (frame === undefined) this.#refuse();
    else this.#client.receive(frame);
  }

  #hello({
    token,
    session,
    clientId,
  }: {
    token?: string | undefined;
    session?: string | undefined;
    clientId?: string | undefined;
  }): void {
    const run = token === undefined ? this.#run : this.#parts.authorise({ token, session });
    if (run === undefined || (this.#run !== undefined && this.#run.id !== run.id))
      return this.close(1008, 'Unauthorized');
    this.#run = run;
    const { client, isResumed } = this.#parts.clientOf(run, clientId ?? crypto.randomUUID());
    this.#client = client;
    const { serverId } = this.#parts;
    this.#send({ type: '$/welcome', protocolVersion: bridgeProtocolVersion, serverId, isResumed });
    client.connect(this.#send);
  }

  #refuse(): void {
    const reply: ReplyFrame = { id: null, success: false, error: 'Invalid JSON', code: 'invalid_json' };
    this.#send(reply);
  }

  /** Whoever does not read its replies is not read either. */
  readonly #send = (frame: object | string): void => {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return;
    socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame), () => {
      if (socket.isPaused && socket.bufferedAmount < pauseAboveBytes / 2) socket.resume();
    });
    if (socket.bufferedAmount > pauseAboveBytes && !socket.isPaused) socket.pause();
  };
}

/** Whoever does not close its side too is cut off. */
export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason);
  setTimeout(() => socket.terminate(), closeTimeoutMs).unref();
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) ?? null;
  } catch {
    return undefined;
  }
}

function isHello(frame: unknown): boolean {
  return (frame as { type?: unknown } | null | undefined)?.type === '$/hello';
}
