import type { EditorState, SessionPort } from '@fairlead/protocol';
import { GatewayError } from '../gateway-error.ts';
import type { Place } from '../proxy/places.ts';
import type { ProxyTarget } from '../proxy/target.ts';

/** The servers of sessions: where they are, and whether they run. Who may reach them is checked before. */
export interface SessionPlaces {
  /** What the proxy connects to. Rejects with a `GatewayError`: 'not-found', or 'wrong-state' when the session does not run. */
  target(place: Place): Promise<ProxyTarget>;
  /** Starts the session's editor where it does not run, lets it stay for another while, and tells its state. */
  visitEditor(sessionId: string): Promise<EditorState>;
  /** The same without starting anything. */
  showEditor(sessionId: string): Promise<EditorState>;
  /** What listens in the session now, and its numbered app ports whether anything listens or not. */
  ports(sessionId: string): Promise<SessionPort[]>;
}

export function noSuchApp(number: number, appPorts: number[]): GatewayError {
  return new GatewayError('not-found', `The session has no app ${number}; it has ${appPorts.length}`);
}
