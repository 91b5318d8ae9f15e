import { z } from 'zod';
import type { Kept } from '../kept.ts';
import type { Agent } from '../sessions/agent.ts';
import { capabilities, type Capability } from './consent.ts';

const grant = z.discriminatedUnion('reach', [
  z.object({ reach: z.literal('workspace'), capability: z.enum(capabilities) }),
  z.object({
    reach: z.literal('session'),
    capability: z.enum(capabilities),
    sessionId: z.string(),
    agentName: z.string(),
  }),
]);
export type Grant = z.infer<typeof grant>;
export type Reach = Grant['reach'];

const mostGrants = 200;

/** What the user allowed for longer than one action. */
export class Grants {
  readonly #store: Kept;
  #grants: Grant[];

  constructor(store: Kept) {
    this.#store = store;
    const stored = z.array(grant).safeParse(store.get());
    this.#grants = stored.success ? stored.data : [];
  }

  list(): readonly Grant[] {
    return this.#grants;
  }

  covers(capability: Capability, sessionId: string): boolean {
    return this.#grants.some(
      (grant) =>
        grant.capability === capability && (grant.reach === 'workspace' || grant.sessionId === sessionId),
    );
  }

  add(capability: Capability, reach: Reach, agent: Agent): void {
    const added: Grant =
      reach === 'workspace'
        ? { reach, capability }
        : { reach, capability, sessionId: agent.sessionId, agentName: agent.name };
    const others = this.#grants.filter((grant) => !isSame(grant, added));
    this.#keep([...others, added].slice(-mostGrants));
  }

  revoke(revoked: readonly Grant[]): void {
    this.#keep(this.#grants.filter((grant) => !revoked.some((other) => isSame(grant, other))));
  }

  endSession(sessionId: string): void {
    const left = this.#grants.filter((grant) => grant.reach === 'workspace' || grant.sessionId !== sessionId);
    if (left.length < this.#grants.length) this.#keep(left);
  }

  #keep(grants: Grant[]): void {
    this.#grants = grants;
    this.#store.set(grants);
  }
}

function isSame(one: Grant, other: Grant): boolean {
  if (one.capability !== other.capability || one.reach !== other.reach) return false;
  return one.reach === 'workspace' || other.reach === 'workspace' || one.sessionId === other.sessionId;
}
