import { HttpError } from '@fairlead/http';
import { sessionIdPattern } from '@fairlead/protocol';
import type { Identity } from '../auth/identity.ts';
import { GatewayError } from '../gateway-error.ts';
import type { SessionRecord } from '../store/store.ts';
import type { IdentifiedContext } from './context.ts';

/** The session, for those whose it is; for all others there is none of that id. */
export async function openSession(
  { gateway, identity }: IdentifiedContext,
  id: string,
): Promise<SessionRecord> {
  if (!sessionIdPattern.test(id)) throw sessionNotFound();
  const session = await gateway.sessions.get(id).catch((error: unknown) => {
    throw error instanceof GatewayError && error.code === 'not-found' ? sessionNotFound() : error;
  });
  if (!covers(identity, session)) throw sessionNotFound();
  return session;
}

/** The same words whether it is somebody else's or nobody's. */
export function sessionNotFound(): HttpError {
  return new HttpError(404, 'Session not found');
}

function covers(identity: Identity, session: SessionRecord): boolean {
  if (identity.owner.id !== session.ownerId) return false;
  return identity.sessionId === null || identity.sessionId === session.id;
}

/** OpenHands sends its owner's key and the session's together, and may do what the owner may. */
export function isOwner({ sessionId, keyId, by }: Identity): boolean {
  return sessionId === null || (by === 'session-key' && keyId !== null);
}

export function ownersOnly(): HttpError {
  return new HttpError(403, "A session's key does not open this; use an API key of its owner");
}
