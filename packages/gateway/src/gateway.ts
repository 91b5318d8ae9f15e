import { availableParallelism } from 'node:os';
import type { DriverName } from '@fairlead/protocol';
import { AuditLog } from './auth/audit-log.ts';
import { ensureFirstOwner } from './auth/first-owner.ts';
import { SessionKeys } from './auth/session-keys.ts';
import { openDockerDriver } from './drivers/docker/docker-driver.ts';
import type { Driver } from './drivers/driver.ts';
import { openLocalDriver } from './drivers/local/local-driver.ts';
import { checkEditor } from './drivers/sandbox-editor.ts';
import { WindowDriver } from './drivers/window/window-driver.ts';
import type { Gateway, GatewayOptions } from './gateway-options.ts';
import { startGatewayServer } from './server.ts';
import { adoptSessions } from './sessions/adopt.ts';
import { keepHouse } from './sessions/housekeeping.ts';
import { Sessions } from './sessions/sessions.ts';
import {
  gatewayId,
  lockStateDir,
  makeStateDir,
  openStateStore,
  type RunningGateway,
  stateFiles,
  writeRunning,
} from './state-dir.ts';
import { PlaceUrls } from './web/place-urls.ts';
import { Windows } from './windows/windows.ts';

/** For the answers of actions that run when the gateway is told to end. */
const drainMs = 5_000;

/** Starts a gateway with everything embedded. Only here do the parts of it meet. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { stateDir, log } = options;
  const files = stateFiles(stateDir);
  const closers: (() => void | Promise<void>)[] = [];
  const closeAll = async () => {
    for (const close of closers.splice(0).toReversed()) {
      try {
        await close();
      } catch (error) {
        // It must not keep the rest open, least of all the lock.
        log(`cannot close everything: ${(error as Error).message}`);
      }
    }
  };
  try {
    makeStateDir(stateDir);
    closers.push(lockStateDir(stateDir));
    const windows = new Windows();
    const graceMs = options.windowGraceSeconds * 1000;
    const windowDriver = new WindowDriver({ windows, graceMs, log });
    const drivers = openDrivers(options, windowDriver);
    for (const driver of drivers.values()) closers.push(() => driver.close());
    await refuseWithoutDriver(drivers, options.defaultDriver);
    const store = openStateStore(stateDir);
    closers.push(() => store.close());
    const { keyPath, isNewKey } = await ensureFirstOwner(store, stateDir, options.operatorName);
    const audit = new AuditLog(files.audit, log);
    closers.push(() => audit.close());

    const urls = new PlaceUrls(options);
    const sessions = new Sessions({
      ...options,
      store,
      drivers,
      windows,
      startsAtOnce: 2 * availableParallelism(),
      placeUrl: (place) => urls.placeUrl(place),
    });
    closers.push(() => sessions.close());
    windowDriver.onOver = (id, reason) => sessions.stopFor(id, () => reason);
    await adoptSessions({ store, drivers, sessions, log });
    const house = keepHouse({ store, sessions, retentionSeconds: options.retentionSeconds, log });
    closers.push(() => house.close());
    const sessionKeys = SessionKeys.open(stateDir);
    const server = await startGatewayServer({
      ...options,
      urls,
      unitLimits: options.defaultLimits,
      store,
      sessions,
      sessionKeys,
      audit,
      windows,
      gatewayId: gatewayId(stateDir),
    });
    closers.push(() => server.close());
    const url = urls.publicUrl ?? server.url;
    closers.push(writeRunning(stateDir, runningGateway(server.url, urls)));
    sessions.warm.fill();

    let closing: Promise<{ sessionsLeft: number }> | undefined;
    const close = async () => {
      const sessionsLeft = sessions.book.live.length;
      await sessions.drain(drainMs);
      // Who still waits for an action is told so before the server goes.
      await house.close();
      await sessions.close();
      await closeAll();
      return { sessionsLeft };
    };
    return {
      url,
      port: server.port,
      keyFile: keyPath,
      isFirstStart: isNewKey,
      close: () => (closing ??= close()),
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** What commands on this machine want to know of it. */
function runningGateway(url: string, { publicUrl, domain }: PlaceUrls): RunningGateway {
  return { url, pid: process.pid, publicUrl: publicUrl ?? null, domain: domain ?? null };
}

function openDrivers(options: GatewayOptions, windowDriver: Driver): Map<DriverName, Driver> {
  const { stateDir, bundle, editor, isolation, dockerSocket, defaultImage } = options;
  if (editor !== undefined) checkEditor(editor, isolation === 'none' ? 'machine' : 'programs');
  const docker = openDockerDriver({
    bundle,
    editor,
    gatewayId: gatewayId(stateDir),
    defaultImage,
    ...(dockerSocket !== undefined && { dockerSocket }),
  });
  return new Map<DriverName, Driver>([
    ['local', openLocalDriver({ stateDir, bundle, isolation, editor })],
    ['docker', docker],
    ['window', windowDriver],
  ]);
}

/** Better now than at the first session. */
async function refuseWithoutDriver(drivers: Map<DriverName, Driver>, name: DriverName): Promise<void> {
  const diagnosis = await drivers.get(name)?.diagnose();
  if (diagnosis?.ok !== false) return;
  throw new Error(`The driver "${name}" cannot be used: ${diagnosis.detail}. ${diagnosis.remedy}`);
}
