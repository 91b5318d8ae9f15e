import { isDeepStrictEqual } from 'node:util';
import type { CreateSessionRequest, DriverName, SessionLimits } from '@fairlead/protocol';
import { GatewayError } from '../gateway-error.ts';
import type { OwnerRecord, SessionRecord } from '../store/store.ts';

export interface SessionDefaults {
  defaultDriver: DriverName;
  defaultImage: string | null;
  idleTimeoutSeconds: number;
  /** Null for sessions that may live for ever. */
  maxAgeSeconds: number | null;
  /** For what a request does not limit itself. */
  defaultLimits: SessionLimits;
}

/** They reach the sandbox as one text, and the kernel takes none longer than 128 KiB. */
const environmentLimitBytes = 120_000;

/** What a request asks for, with the gateway's defaults where it says nothing. It has no id yet. */
export function newRecord(
  owner: OwnerRecord,
  request: CreateSessionRequest,
  defaults: SessionDefaults,
): Omit<SessionRecord, 'id'> {
  checkEnvironment(request.env);
  const now = new Date();
  const driver = driverFor(request, defaults);
  const isInWindow = driver === 'window';
  if (isInWindow) refuseForWindow(request);
  const maxAgeSeconds = request.maxAgeSeconds ?? defaults.maxAgeSeconds;
  return {
    ownerId: owner.id,
    driver,
    image: imageFor(driver, request.image, defaults),
    state: 'starting',
    reason: null,
    workspace: request.workspace,
    env: request.env,
    labels: request.labels,
    limits: isInWindow ? {} : { ...defaults.defaultLimits, ...request.limits },
    idleTimeoutSeconds: request.idleTimeoutSeconds ?? defaults.idleTimeoutSeconds,
    createdAt: now.toISOString(),
    lastActiveAt: now.toISOString(),
    expiresAt: maxAgeSeconds === null ? null : secondsFrom(now, maxAgeSeconds),
    endedAt: null,
    externalId: null,
    windowId: null,
    windowFolder: null,
    appPorts: [],
  };
}

export function secondsFrom(time: Date, seconds: number): string {
  return new Date(time.getTime() + seconds * 1000).toISOString();
}

/** A sandbox started in advance will do: nothing is asked for that must be there from its start. */
export function isPlain(
  { workspace, env, limits }: Omit<SessionRecord, 'id'>,
  { defaultLimits }: SessionDefaults,
): boolean {
  const hasUsualLimits = isDeepStrictEqual(limits, defaultLimits);
  return workspace.kind !== 'folder' && Object.keys(env).length === 0 && hasUsualLimits;
}

function checkEnvironment(env: Record<string, string>): void {
  const bytes = Buffer.byteLength(JSON.stringify(env));
  if (bytes <= environmentLimitBytes) return;
  throw new GatewayError(
    'bad-request',
    `The variables in "env" have ${bytes} bytes together, and a sandbox takes ${environmentLimitBytes}; put large ones in files`,
  );
}

function driverFor({ driver, window }: CreateSessionRequest, defaults: SessionDefaults): DriverName {
  if (window === undefined) return driver ?? defaults.defaultDriver;
  if (driver === undefined || driver === 'window') return 'window';
  throw new GatewayError(
    'bad-request',
    `The driver "${driver}" has no windows; leave "driver" or "window" out`,
  );
}

/** Its files and processes are the user's own. */
function refuseForWindow({ workspace, limits }: CreateSessionRequest): void {
  const surplus = workspace.kind === 'own' ? Object.keys(limits).length > 0 && 'limits' : 'workspace';
  if (surplus === false) return;
  throw new GatewayError(
    'bad-request',
    `A session in a VS Code window works in the folders that are open there, as its user; leave "${surplus}" out`,
  );
}

function imageFor(driver: DriverName, image: string | undefined, defaults: SessionDefaults): string | null {
  if (driver === 'docker') return image ?? defaults.defaultImage;
  if (image === undefined) return null;
  throw new GatewayError(
    'bad-request',
    `The driver "${driver}" has no images; leave "image" out or use docker`,
  );
}
