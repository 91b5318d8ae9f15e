import type { IncomingMessage } from 'node:http';
import type { WindowHello } from '@fairlead/protocol';
import { type Identification, type Identity, refused } from '../../auth/identity.ts';
import { createWindowKey } from '../../auth/keys.ts';
import type { OwnerRecord } from '../../store/store.ts';
import type { GatewayCore } from '../context.ts';

/** Uses a pairing code up, and makes the key that the window connects with from then on. */
export async function admitByCode(
  gateway: GatewayCore,
  request: IncomingMessage,
  { code, window }: WindowHello,
  path: string,
): Promise<{ identity: Identity; windowKey: string }> {
  const owner = await ownerOfCode(gateway, code ?? '');
  const key = owner && (await createWindowKey(gateway.store, owner, `window ${window.name}`));
  const found: Identification =
    owner === undefined || key === undefined
      ? refused('unknown')
      : { kind: 'identified', identity: { owner, keyId: key.record.id, sessionId: null, by: 'pairing' } };
  const identity = gateway.gatekeeper.decide(request, found, path);
  return { identity, windowKey: key?.text ?? '' };
}

/** Undefined when the code, or what it was asked for with, is not valid any more. */
async function ownerOfCode(
  { pairings, logins, store }: GatewayCore,
  code: string,
): Promise<OwnerRecord | undefined> {
  const grant = pairings.redeem(code);
  if (grant === undefined) return undefined;
  const checked = await logins.check({ ...grant, sessionId: null });
  return checked.kind === 'granted' ? store.owners.find(grant.ownerId) : undefined;
}
