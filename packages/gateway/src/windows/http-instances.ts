import { randomUUID } from 'node:crypto';
import type { RegisterInstanceRequest } from '@fairlead/protocol';
import { GatewayError } from '../gateway-error.ts';

export interface HttpInstance {
  readonly id: string;
  readonly ownerId: string;
  readonly told: RegisterInstanceRequest;
  readonly registeredAt: string;
  lastHeartbeatMs: number;
}

/** Without a heartbeat for this long it is taken for gone. */
const silenceMs = 5 * 60_000;
const maxPerOwner = 100;

/** Windows that only registered by HTTP, as an earlier extension of OpenHands does. No session can run in one. */
export class HttpInstances {
  readonly #instances = new Map<string, HttpInstance>();

  register(ownerId: string, told: RegisterInstanceRequest, nowMs = Date.now()): HttpInstance {
    if (this.list(ownerId, nowMs).length >= maxPerOwner) {
      throw new GatewayError('limit-reached', `${maxPerOwner} windows are registered; unregister some`);
    }
    const registeredAt = new Date(nowMs).toISOString();
    const instance = { id: randomUUID(), ownerId, told, registeredAt, lastHeartbeatMs: nowMs };
    this.#instances.set(instance.id, instance);
    return instance;
  }

  /** False when there is none of that id. */
  beat(ownerId: string, id: string, nowMs = Date.now()): boolean {
    const found = this.find(ownerId, id, nowMs);
    if (found !== undefined) found.lastHeartbeatMs = nowMs;
    return found !== undefined;
  }

  remove(ownerId: string, id: string): boolean {
    return this.find(ownerId, id) !== undefined && this.#instances.delete(id);
  }

  find(ownerId: string, id: string, nowMs = Date.now()): HttpInstance | undefined {
    return this.list(ownerId, nowMs).find((instance) => instance.id === id);
  }

  list(ownerId: string, nowMs = Date.now()): HttpInstance[] {
    for (const [id, { lastHeartbeatMs }] of this.#instances) {
      if (nowMs - lastHeartbeatMs > silenceMs) this.#instances.delete(id);
    }
    return [...this.#instances.values()].filter((instance) => instance.ownerId === ownerId);
  }
}
