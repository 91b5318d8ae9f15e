import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpServer, createUpgrades, refuseBadRequest, serve } from '@fairlead/http';
import type { DriverName, SessionLimits } from '@fairlead/protocol';
import type { AuditLog } from './auth/audit-log.ts';
import { Identifier } from './auth/identify.ts';
import { Logins } from './auth/logins.ts';
import { OpenStreams } from './auth/open-streams.ts';
import type { BucketLimits } from './auth/rate-limit.ts';
import type { SessionKeys } from './auth/session-keys.ts';
import type { GatewayCore } from './fronts/context.ts';
import { attachSocketIo, socketIoPath } from './fronts/native/socket-io.ts';
import { createDoors } from './http/door.ts';
import { Gatekeeper } from './http/gatekeeper.ts';
import type { SessionsApi } from './sessions/sessions-api.ts';
import type { Store } from './store/store.ts';
import { RecentAdmissions } from './proxy/recent-admissions.ts';
import { mountWeb } from './web/mount-web.ts';
import { openSessionPlaces } from './web/open-session-places.ts';
import { type Admission, PlacePasses } from './web/place-passes.ts';
import type { PlaceUrls } from './web/place-urls.ts';
import { WebFront } from './web/web-front.ts';
import { HttpInstances } from './windows/http-instances.ts';
import { Instances } from './windows/instances.ts';
import { Pairings } from './windows/pairings.ts';
import type { Windows } from './windows/windows.ts';

export interface GatewayServerOptions {
  host: string;
  /** 0 for any free one. */
  port: number;
  /** Names besides loopback's and the address itself. */
  allowedHosts: string[];
  /** What clients are told; learns here which port it is. */
  urls: PlaceUrls;
  store: Store;
  sessions: SessionsApi;
  sessionKeys: SessionKeys;
  audit: AuditLog;
  windows: Windows;
  /** By which windows know this gateway again. */
  gatewayId: string;
  /** For clients that cannot say which they want. */
  defaultDriver: DriverName;
  /** What an OpenHands `resource_factor` of 1 stands for; nothing is limited where nothing is said. */
  unitLimits?: SessionLimits;
  rateLimits?: { requests: BucketLimits; failures: BucketLimits };
  log(line: string): void;
}

export interface GatewayServer {
  readonly url: string;
  readonly port: number;
  /** Ends what is watched, lets the last answers out, and closes. What the fronts stand on is left open. */
  close(): Promise<void>;
}

/** Serves sessions that are there already. Rejects with `EADDRINUSE` and the like when it cannot listen. */
export async function startGatewayServer(options: GatewayServerOptions): Promise<GatewayServer> {
  const { store, urls } = options;
  const logins = new Logins(store);
  const identifier = new Identifier({ ...options, logins, cookieScope: urls });
  const core = createCore(options, { logins, identifier, isOwnPort: (port) => urls.listensAt(port) });
  const doors = createDoors(core);
  const http = createHttpServer((request, response) => void serve(doors.http, request, response));
  const upgrades = createUpgrades(doors.sockets);
  const io = attachSocketIo(http, core);
  http.on('clientError', refuseBadRequest);
  http.on('upgrade', (request, connection, head) => {
    if (!request.url?.startsWith(socketIoPath)) upgrades.accept(request, connection, head);
  });
  const web = new WebFront({ gateway: core, identifier, store });
  mountWeb(http, web, urls, options.log);
  await listen(http, options.port, options.host);

  const { port } = http.address() as AddressInfo;
  urls.listensOn(port);
  let closing: Promise<void> | undefined;
  return { port, url: urls.listeningUrl, close: () => (closing ??= close()) };

  async function close(): Promise<void> {
    const closed = once(http, 'close');
    core.streams.close();
    upgrades.close();
    void web.close();
    // Closes the server with its own connections.
    void io.close();
    http.closeIdleConnections();
    const lastAnswers = setTimeout(() => http.closeAllConnections(), lastAnswersMs);
    await closed;
    clearTimeout(lastAnswers);
  }
}

const lastAnswersMs = 500;

interface CoreParts {
  logins: Logins;
  identifier: Identifier;
  isOwnPort(port: number): boolean;
}

function createCore(
  options: GatewayServerOptions,
  { logins, identifier, isOwnPort }: CoreParts,
): GatewayCore {
  const { sessions, sessionKeys, audit, urls, host, allowedHosts, defaultDriver, log } = options;
  const { publicUrl, domain } = urls;
  const streams = new OpenStreams((identity) => identifier.isValid(identity), log);
  const gatekeeper = new Gatekeeper({
    host,
    allowedHosts: domain === undefined ? allowedHosts : [...allowedHosts, domain],
    publicUrl,
    identifier,
    audit,
    ...(options.rateLimits && { limits: options.rateLimits }),
  });
  const unitLimits = options.unitLimits ?? {};
  const places = openSessionPlaces({ sessions, isOwnPort });
  const passes = new PlacePasses(sessionKeys.deriveSecret('places'));
  const admissions = new RecentAdmissions<Admission>();
  const web = { places, urls, passes, admissions };
  const { store, windows, gatewayId } = options;
  const instances = new Instances(windows, new HttpInstances());
  const windowParts = { store, windows, gatewayId, instances, pairings: new Pairings() };
  const fixed = { defaultDriver, unitLimits, log };
  return { sessions, sessionKeys, gatekeeper, logins, streams, ...web, ...windowParts, ...fixed };
}

async function listen(http: Server, port: number, host: string): Promise<void> {
  http.listen(port, host);
  await once(http, 'listening');
}
