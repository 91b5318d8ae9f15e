import { connect, type Socket } from 'node:net';
import { connected } from '../proxy/target.ts';
import type { OpenPort } from './port-listings.ts';
import { openTunnel } from './open-tunnel.ts';

export interface AppAddress {
  port: number;
  /** What listens there in the session. */
  sockets: OpenPort[];
  /** Of the sandbox server. */
  socketPath: string;
  /** The sandbox has no network of its own. */
  isOnThisMachine: boolean;
}

/**
 * Connects to an app of a session. The gateway itself dials nothing but loopback, whatever a sandbox says that it listens
 * on; all else is the sandbox's to reach.
 */
export async function connectApp({
  port,
  sockets,
  socketPath,
  isOnThisMachine,
}: AppAddress): Promise<Socket> {
  if (sockets.length === 0) throw new Error(`Nothing listens on port ${port}`);
  const hosts = isOnThisMachine ? [...new Set(sockets.flatMap(({ address }) => loopbackOf(address)))] : [];
  if (hosts.length === 0) return openTunnel(socketPath, port);
  let failure: unknown;
  for (const host of hosts) {
    try {
      return await connected(connect({ host, port, noDelay: true }));
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** By which of this machine's loopback addresses a socket is reached. */
function loopbackOf(address: string): string[] {
  if (address === '0.0.0.0') return ['127.0.0.1'];
  // It may or may not take the other family too.
  if (address === '::') return ['::1', '127.0.0.1'];
  return address === '::1' || /^127(\.\d{1,3}){3}$/.test(address) ? [address] : [];
}
