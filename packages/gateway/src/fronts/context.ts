import type { DriverName, SessionLimits } from '@fairlead/protocol';
import type { Identity } from '../auth/identity.ts';
import type { Logins } from '../auth/logins.ts';
import type { OpenStreams } from '../auth/open-streams.ts';
import type { SessionKeys } from '../auth/session-keys.ts';
import type { Gatekeeper } from '../http/gatekeeper.ts';
import type { SessionsApi } from '../sessions/sessions-api.ts';
import type { SessionRecord, Store } from '../store/store.ts';
import type { RecentAdmissions } from '../proxy/recent-admissions.ts';
import type { Admission, PlacePasses } from '../web/place-passes.ts';
import type { PlaceUrls } from '../web/place-urls.ts';
import type { SessionPlaces } from '../web/session-places.ts';
import type { Instances } from '../windows/instances.ts';
import type { Pairings } from '../windows/pairings.ts';
import type { Windows } from '../windows/windows.ts';

/** What the fronts stand on. */
export interface GatewayCore {
  readonly sessions: SessionsApi;
  readonly sessionKeys: SessionKeys;
  readonly gatekeeper: Gatekeeper;
  readonly logins: Logins;
  readonly store: Pick<Store, 'keys' | 'owners'>;
  readonly windows: Windows;
  readonly instances: Instances;
  readonly pairings: Pairings;
  readonly gatewayId: string;
  readonly streams: OpenStreams;
  readonly places: SessionPlaces;
  readonly urls: PlaceUrls;
  readonly passes: PlacePasses;
  /** Who was let in to a place a moment ago; to be cleared when somebody loses what they may. */
  readonly admissions: RecentAdmissions<Admission>;
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
