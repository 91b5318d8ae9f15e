import type { HttpRoute, SocketRoute } from '@fairlead/http';
import type { IdentifiedContext, OpenContext, SessionContext } from './context.ts';

/**
 * Who may use a route, checked before it is entered:
 *
 * - `public`: everybody
 * - `identified`: whoever has a valid key, cookie or ticket
 * - `owner`: an owner; a session's key does not do
 * - `session`: the owner and the key of the session that the path names; for all others it does not exist
 * - `session-owner`: of these two the owner alone: a session's life is not its agent's to decide
 * - `named-session`: an owner; the route looks the session up by something else than its path, with `openSession`
 */
export type Access = 'public' | 'identified' | 'owner' | 'session' | 'session-owner' | 'named-session';

/** What a route may count on, by its access. */
interface ContextByAccess {
  public: OpenContext;
  identified: IdentifiedContext;
  owner: IdentifiedContext;
  session: SessionContext;
  'session-owner': SessionContext;
  'named-session': IdentifiedContext;
}

type EntryOf<Name extends Access> = {
  access: Name;
  method: 'GET' | 'POST' | 'DELETE';
  /** `{session}` is the session of the two accesses that have one. */
  path: string;
} & (Name extends 'public' ? { isPublic: true } : unknown) &
  (
    | { kind: 'http'; load(): Promise<{ route: HttpRoute<ContextByAccess[Name]> }> }
    | { kind: 'socket'; load(): Promise<{ route: SocketRoute<ContextByAccess[Name]> }> }
  );

/** One line of a front's table. */
export type GatewayRoute = { [Name in Access]: EntryOf<Name> }[Access];
