import type { Access } from '../../../src/fronts/route-entry.ts';
import type { Headers, Tenant, TestGateway } from './test-gateway.ts';

/** What somebody is to a session: its owner, its key, known for something else only, or nobody. */
type Standing = 'owner' | 'session' | 'other-owner' | 'other-session' | 'nobody';

export interface Visitor {
  standing: Standing;
  headers: Headers;
  /** Put behind the path of a WebSocket. */
  query?: string;
}

interface Stage {
  gateway: TestGateway;
  mine: Tenant;
  other: Tenant;
}

/** Everybody who may come to a session of `mine`. */
export const visitors: Record<string, (stage: Stage) => Promise<Visitor> | Visitor> = {
  "its owner's key": ({ mine }) => ({ standing: 'owner', headers: mine.headers }),
  "its owner's key in X-API-Key": ({ mine }) => ({
    standing: 'owner',
    headers: { 'x-api-key': mine.headers['authorization']!.slice('Bearer '.length) },
  }),
  "its owner's key and its own": ({ mine }) => ({
    standing: 'owner',
    headers: { ...mine.headers, ...mine.sessionHeaders },
  }),
  "its owner's cookie": async ({ gateway, mine }) => ({
    standing: 'owner',
    headers: await cookieFor(gateway, mine.headers),
  }),
  'its own key': ({ mine }) => ({ standing: 'session', headers: mine.sessionHeaders }),
  'its own key as Bearer': ({ mine }) => ({
    standing: 'session',
    headers: { authorization: `Bearer ${mine.sessionHeaders['x-session-api-key']}` },
  }),
  'a cookie for it alone': async ({ gateway, mine }) => ({
    standing: 'session',
    headers: await cookieFor(gateway, mine.headers, mine.session.id),
  }),
  "another owner's key": ({ other }) => ({ standing: 'other-owner', headers: other.headers }),
  "another owner's cookie": async ({ gateway, other }) => ({
    standing: 'other-owner',
    headers: await cookieFor(gateway, other.headers),
  }),
  "another owner's session key": ({ other }) => ({
    standing: 'other-session',
    headers: other.sessionHeaders,
  }),
  "another session's key of its owner": async ({ gateway, mine }) => {
    const sibling = await gateway.sessions.add(mine.owner.id);
    return {
      standing: 'other-session',
      headers: { 'x-session-api-key': gateway.sessionKeys.keyOf(sibling.id) },
    };
  },
  'a revoked key': async ({ gateway, mine }) => {
    await gateway.store.keys.revoke(mine.keyId, new Date().toISOString());
    return { standing: 'nobody', headers: mine.headers };
  },
  'a cookie of a revoked key': async ({ gateway, mine }) => {
    const headers = await cookieFor(gateway, mine.headers);
    await gateway.store.keys.revoke(mine.keyId, new Date().toISOString());
    return { standing: 'nobody', headers };
  },
  'the key of a session that is gone': async ({ gateway, other }) => {
    await gateway.sessions.remove(other.session.id);
    return { standing: 'nobody', headers: other.sessionHeaders };
  },
  'a forged session key': ({ mine }) => ({
    standing: 'nobody',
    headers: { 'x-session-api-key': `fs_${mine.session.id}_${'A'.repeat(43)}` },
  }),
  'keys of two owners': ({ mine, other }) => ({
    standing: 'nobody',
    headers: { ...other.headers, ...mine.sessionHeaders },
  }),
  nothing: () => ({ standing: 'nobody', headers: {} }),
};

/** For WebSockets, where a ticket stands for a key. */
export const ticketVisitors: typeof visitors = {
  "a ticket of its owner's": async ({ gateway, mine }) => ({
    standing: 'owner',
    headers: {},
    query: `ticket=${await ticketFor(gateway, mine.headers)}`,
  }),
  'a ticket for it alone': async ({ gateway, mine }) => ({
    standing: 'session',
    headers: {},
    query: `ticket=${await ticketFor(gateway, mine.headers, mine.session.id)}`,
  }),
  "another owner's ticket": async ({ gateway, other }) => ({
    standing: 'other-owner',
    headers: {},
    query: `ticket=${await ticketFor(gateway, other.headers)}`,
  }),
  'a made-up ticket': () => ({ standing: 'nobody', headers: {}, query: 'ticket=made-up' }),
};

/** The status of a refusal; undefined when the route itself is to answer. */
export function expectedRefusal(access: Access, standing: Standing, path: string): number | undefined {
  if (access === 'public') return undefined;
  if (standing === 'nobody') return path.startsWith('/runtimes/') ? 403 : 401;
  if (standing === 'owner' || access === 'identified') return undefined;
  return byStanding[standing][access];
}

const byStanding: Record<
  'session' | 'other-owner' | 'other-session',
  Record<Exclude<Access, 'public' | 'identified'>, number | undefined>
> = {
  session: { owner: 403, session: undefined, 'session-owner': 403, 'named-session': 403 },
  'other-owner': { owner: undefined, session: 404, 'session-owner': 404, 'named-session': 404 },
  'other-session': { owner: 403, session: 404, 'session-owner': 404, 'named-session': 403 },
};

export async function ticketFor(gateway: TestGateway, headers: Headers, session?: string): Promise<string> {
  const body = session === undefined ? {} : { session };
  return (await gateway.call('POST', '/api/tickets', { headers, body })).json.ticket as string;
}

/** As a browser would send it. */
export async function cookieFor(gateway: TestGateway, headers: Headers, session?: string): Promise<Headers> {
  const ticket = await ticketFor(gateway, headers, session);
  const { headers: answered } = await gateway.call('GET', `/login?ticket=${ticket}`);
  const cookie = answered['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
  return { cookie, origin: gateway.server.url };
}
