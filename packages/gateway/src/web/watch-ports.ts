import { setTimeout as delay } from 'node:timers/promises';
import type { SessionPort } from '@fairlead/protocol';
import { GatewayError } from '../gateway-error.ts';
import type { SessionPlaces } from './session-places.ts';

/** The kernel tells nobody of a new listener, so somebody has to look. */
const betweenLooksMs = 1_000;

/** The ports of a session at once, and again at each change, until the session is gone. */
export async function* watchPorts(
  places: Pick<SessionPlaces, 'ports'>,
  sessionId: string,
  signal: AbortSignal,
): AsyncGenerator<SessionPort[]> {
  let ports = await places.ports(sessionId);
  yield ports;
  for (;;) {
    await delay(betweenLooksMs, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    const next = await look(places, sessionId);
    if (next === 'gone') return;
    if (next === 'unknown' || JSON.stringify(next) === JSON.stringify(ports)) continue;
    ports = next;
    yield ports;
  }
}

async function look(
  places: Pick<SessionPlaces, 'ports'>,
  sessionId: string,
): Promise<SessionPort[] | 'gone' | 'unknown'> {
  try {
    return await places.ports(sessionId);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    // A sandbox server that is being started again, or a session that ends at this moment, says more the next time.
    return error.code === 'not-found' ? 'gone' : 'unknown';
  }
}
