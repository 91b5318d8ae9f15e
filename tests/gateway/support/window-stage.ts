import { onTestFinished } from 'vitest';
import type { Caller } from './caller.ts';
import type { HostOptions } from './gateway-process.ts';
import { Place } from './place.ts';
import { WindowPeer } from './window-peer.ts';

export interface WindowStage {
  place: Place;
  owner: Caller;
  peer: WindowPeer;
  logged: string[];
  /** With the owner's key. */
  dial(peer?: WindowPeer): Promise<void>;
}

/** A gateway for windows alone, so that it needs nothing of the machine, and one window that is connected. */
export async function setWindowStage(changes: Partial<HostOptions> = {}): Promise<WindowStage> {
  const place = new Place();
  onTestFinished(() => place.end());
  const { owner, logged } = await place.start({ defaultDriver: 'window', ...changes });
  const peer = new WindowPeer();
  const dial = async (other = peer) => void (await other.dial({ url: owner.url, key: owner.key }));
  await dial();
  return { place, owner, peer, logged, dial };
}

/** For machines that have much else to do. */
export const patient = { timeout: 60_000 };
