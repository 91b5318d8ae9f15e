import { createSessionRequest } from '@fairlead/protocol';
import { newOwner } from '../../../src/auth/owners.ts';
import type { Driver } from '../../../src/drivers/driver.ts';
import type { SandboxRuntime } from '../../../src/runtime/sandbox-runtime.ts';
import { EventHub } from '../../../src/sessions/event-hub.ts';
import { newSessionId } from '../../../src/sessions/ids.ts';
import { LiveSession } from '../../../src/sessions/live-session.ts';
import { newRecord } from '../../../src/sessions/new-record.ts';

/** A running session that stands on what a test says of its sandbox. */
export function liveSession(sandbox: {
  status?: Driver['status'];
  isAlive?: SandboxRuntime['isAlive'];
}): LiveSession {
  const defaults = {
    defaultDriver: 'local',
    defaultImage: null,
    defaultLimits: {},
    idleTimeoutSeconds: 60,
    maxAgeSeconds: null,
  } as const;
  const wanted = newRecord(newOwner('owner', 'tenant'), createSessionRequest.parse({}), defaults);
  return new LiveSession(
    { ...wanted, id: newSessionId(), state: 'running' },
    sandbox as unknown as Driver,
    sandbox as unknown as SandboxRuntime,
    new EventHub(0),
  );
}
