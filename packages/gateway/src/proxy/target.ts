import type { Socket } from 'node:net';
import type { Page } from './pages/page.ts';

/** A server of one session that browsers are let through to. */
export interface ProxyTarget {
  sessionId: string;
  /** Connections are kept under this name and used again; no two servers may share it. */
  key: string;
  /** A connection that stands; rejects when nothing listens there. */
  connect(): Promise<Socket>;
  /** Shown to browsers when nothing listens there. */
  absentPage: Page;
  /** Asked before a browser is shown that the server failed; rejects where its whole session is not there any more. */
  checkSession?(): Promise<void>;
  /** Something passed between a browser and the server. */
  touch(): void;
}

/** Nothing listens where the target should be. */
export class TargetAbsent extends Error {
  constructor(cause: unknown) {
    super('Nothing listens there', { cause });
    this.name = 'TargetAbsent';
  }
}

export async function connectTo(target: ProxyTarget): Promise<Socket> {
  try {
    return await target.connect();
  } catch (error) {
    throw new TargetAbsent(error);
  }
}

const connectLimitMs = 10_000;

/** Waits until a connection that is being made stands; for targets' `connect`. */
export function connected(socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const tooLong = () => socket.destroy(new Error(`No connection within ${connectLimitMs / 1000} s`));
    const timer = setTimeout(tooLong, connectLimitMs);
    socket.once('close', () => clearTimeout(timer));
    socket.once('error', reject);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', reject);
      resolve(socket);
    });
  });
}
