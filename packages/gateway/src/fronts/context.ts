import type { DriverName, SessionLimits } from '@fairlead/protocol';
import type { Identity } from '../auth/identity.ts';
import type { Logins } from '../auth/logins.ts';
import type { OpenStreams } from '../auth/open-streams.ts';
import type { SessionKeys } from '../auth/session-keys.ts';
import type { Gatekeeper } from '../http/gatekeeper.ts';
import type { SessionsApi } from '../sessions/sessions-api.ts';
import type { SessionRecord } from '../store/store.ts';

/** What the fronts stand on. */
export interface GatewayCore {
  readonly sessions: SessionsApi;
  readonly sessionKeys: SessionKeys;
  readonly gatekeeper: Gatekeeper;
  readonly logins: Logins;
  readonly streams: OpenStreams;
  /** Without a slash at its end; clients are told the name they have come by where there is none. */
  readonly publicUrl: string | undefined;
  /** For those who cannot say which they want. */
  readonly defaultDriver: DriverName;
  /** What an OpenHands `resource_factor` of 1 stands for. */
  readonly unitLimits: SessionLimits;
  log(line: string): void;
}

export interface OpenContext {
  gateway: GatewayCore;
}

export interface IdentifiedContext extends OpenContext {
  identity: Identity;
}

export interface SessionContext extends IdentifiedContext {
  session: SessionRecord;
}
