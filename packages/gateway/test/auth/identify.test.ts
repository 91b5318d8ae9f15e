import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import { digestHex } from '../../src/auth/digest.ts';
import { loginCookie } from '../../src/auth/cookies.ts';
import { openAuthPlace, sessionIds, spoiled } from './support/auth-place.ts';

type Place = Awaited<ReturnType<typeof openAuthPlace>>;

const keyHeaders = {
  'Authorization: Bearer': (text: string) => ({ authorization: `Bearer ${text}` }),
  'authorization with a small bearer': (text: string) => ({ authorization: `bearer ${text}` }),
  'X-API-Key': (text: string) => ({ 'x-api-key': text }),
  'X-Session-API-Key': (text: string) => ({ 'x-session-api-key': text }),
};

describe.each(Object.entries(keyHeaders))('in %s', (_name, header) => {
  test('an API key opens all of its owner’s sessions', async () => {
    const { identifier, ann } = await openAuthPlace();
    expect(await identifier.ofHeaders(header(ann.key))).toEqual({
      kind: 'identified',
      identity: { owner: ann.record, keyId: ann.keyId, sessionId: null, by: 'api-key' },
    });
  });

  test('a session key opens its session alone', async () => {
    const { identifier, ann, sessionKeys } = await openAuthPlace();
    expect(await identifier.ofHeaders(header(sessionKeys.keyOf(sessionIds.ann)))).toEqual({
      kind: 'identified',
      identity: { owner: ann.record, keyId: null, sessionId: sessionIds.ann, by: 'session-key' },
    });
  });

  test('spoiled, revoked and foreign keys open nothing', async () => {
    const place = await openAuthPlace();
    const { ann, bob, sessionKeys, store } = place;
    for (const key of [ann.key, sessionKeys.keyOf(sessionIds.ann)]) {
      // What surrounds a header's value in white space, HTTP takes away before.
      for (const wrong of spoiled(key).filter((text) => text === text.trim())) {
        expect([wrong, await reason(place, header(wrong))]).toEqual([
          wrong,
          expect.stringMatching('malformed|unknown'),
        ]);
      }
    }
    await store.keys.revoke(bob.keyId, '2026');
    expect(await reason(place, header(bob.key))).toBe('revoked');
    expect(await reason(place, header(sessionKeys.keyOf('snobody0000000000000')))).toBe('unknown');
    expect(await reason(place, header(''))).toBe('malformed');
    expect(await reason(place, header(`${ann.key}, ${ann.key}`))).toBe('malformed');
  });
});

describe('several keys', () => {
  test('of one owner open the session alone, and name the owner’s key', async () => {
    const { identifier, ann, sessionKeys } = await openAuthPlace();
    const sessionKey = sessionKeys.keyOf(sessionIds.ann);
    const expected = {
      kind: 'identified',
      identity: { owner: ann.record, keyId: ann.keyId, sessionId: sessionIds.ann, by: 'session-key' },
    };
    const pairs = [
      { 'x-api-key': ann.key, 'x-session-api-key': sessionKey },
      { 'x-session-api-key': ann.key, authorization: `Bearer ${sessionKey}` },
      { 'x-api-key': ann.key, authorization: `Bearer ${ann.key}`, 'x-session-api-key': sessionKey },
    ];
    for (const headers of pairs) expect(await identifier.ofHeaders(headers)).toEqual(expected);
  });

  test('must each be valid', async () => {
    const place = await openAuthPlace();
    const { ann, sessionKeys, store, bob } = place;
    const sessionKey = sessionKeys.keyOf(sessionIds.ann);
    const wrongSession = sessionKey.replace(sessionIds.ann, sessionIds.annToo);
    expect(await reason(place, { 'x-api-key': ann.key, 'x-session-api-key': wrongSession })).toBe('unknown');
    expect(await reason(place, { 'x-api-key': 'nonsense', 'x-session-api-key': sessionKey })).toBe(
      'malformed',
    );
    expect(await reason(place, { authorization: 'Bearer', 'x-api-key': ann.key })).toBe('malformed');
    await store.keys.revoke(bob.keyId, '2026');
    expect(await reason(place, { 'x-api-key': bob.key, authorization: `Bearer ${ann.key}` })).toBe('revoked');
  });

  test('of two owners, or for two sessions, open nothing', async () => {
    const place = await openAuthPlace();
    const { ann, bob, sessionKeys } = place;
    const keyOf = (id: string) => sessionKeys.keyOf(id);
    const contradictions: IncomingHttpHeaders[] = [
      { 'x-api-key': ann.key, 'x-session-api-key': keyOf(sessionIds.bob) },
      { 'x-api-key': ann.key, authorization: `Bearer ${bob.key}` },
      { 'x-api-key': keyOf(sessionIds.ann), 'x-session-api-key': keyOf(sessionIds.annToo) },
      { 'x-api-key': keyOf(sessionIds.ann), 'x-session-api-key': keyOf(sessionIds.bob) },
    ];
    for (const headers of contradictions) expect(await reason(place, headers)).toBe('malformed');
  });

  test('one of a removed session opens nothing alone, and that session alone beside its owner’s', async () => {
    const place = await openAuthPlace();
    const { ann, bob, sessionKeys, store, identifier } = place;
    const sessionKey = sessionKeys.keyOf(sessionIds.ann);
    await store.sessions.remove(sessionIds.ann);
    expect(await reason(place, { 'x-session-api-key': sessionKey })).toBe('unknown');
    expect(
      await identifier.ofHeaders({ 'x-api-key': ann.key, 'x-session-api-key': sessionKey }),
    ).toMatchObject({
      kind: 'identified',
      identity: { sessionId: sessionIds.ann },
    });
    expect(
      await reason(place, {
        authorization: `Bearer ${bob.key}`,
        'x-api-key': ann.key,
        'x-session-api-key': sessionKey,
      }),
    ).toBe('malformed');
  });
});

describe('a browser', () => {
  test('is known by its cookie, which opens what its ticket did', async () => {
    const { identifier, logins, ann } = await openAuthPlace();
    for (const sessionId of [null, sessionIds.ann]) {
      const ticket = logins.issueTicket({ ownerId: 'ann', keyId: ann.keyId, sessionId });
      const opened = { owner: ann.record, keyId: ann.keyId, sessionId };
      expect(await identifier.ofTicket(ticket)).toEqual({
        kind: 'identified',
        identity: { ...opened, by: 'ticket' },
      });
      const value = await logins.begin({ ownerId: 'ann', keyId: ann.keyId, sessionId });
      const [cookie] = loginCookie(value, { isSecure: true, basePath: '' }).split(';');
      expect(await identifier.ofHeaders({ cookie: `theme=dark; ${cookie}` })).toEqual({
        kind: 'identified',
        identity: { ...opened, by: 'cookie', loginHash: digestHex(value) },
      });
    }
  });

  test('is refused with a wrong, an old or a doubled cookie, and without any', async () => {
    const place = await openAuthPlace();
    const { logins, clock } = place;
    const value = await logins.begin({ ownerId: 'ann', keyId: null, sessionId: null });
    expect(await reason(place, {})).toBe('missing');
    expect(await reason(place, { cookie: 'theme=dark' })).toBe('missing');
    expect(await reason(place, { cookie: `fairlead=${spoiled(value)[0]}` })).toBe('unknown');
    expect(await reason(place, { cookie: `fairlead=${value.slice(1)}` })).toBe('malformed');
    expect(await reason(place, { cookie: `fairlead=${value}; fairlead=${spoiled(value)[0]}` })).toBe(
      'malformed',
    );
    clock.nowMs += 13 * 60 * 60 * 1000;
    expect(await reason(place, { cookie: `fairlead=${value}` })).toBe('expired');
  });

  test('that is refused for its key is not let in for its cookie, and an old cookie does not spoil a key', async () => {
    const place = await openAuthPlace();
    const { logins, ann } = place;
    const cookie = `fairlead=${await logins.begin({ ownerId: 'ann', keyId: null, sessionId: null })}`;
    expect(await reason(place, { cookie, 'x-api-key': 'nonsense' })).toBe('malformed');
    expect(await reason(place, { cookie: `fairlead=${'a'.repeat(43)}`, 'x-api-key': ann.key })).toBe('none');
    // The scheme of an application behind the gateway.
    expect(await reason(place, { cookie, authorization: 'Basic YTpi' })).toBe('none');
  });

  test('gets nothing for a ticket of a session that was removed since', async () => {
    const { identifier, logins, store } = await openAuthPlace();
    const ticket = logins.issueTicket({ ownerId: 'ann', keyId: null, sessionId: sessionIds.ann });
    await store.sessions.remove(sessionIds.ann);
    expect(await identifier.ofTicket(ticket)).toMatchObject({ kind: 'refused', reason: 'unknown' });
    expect(await identifier.ofTicket('nonsense')).toMatchObject({ kind: 'refused', reason: 'unknown' });
  });
});

test('a refusal names what the key named, and never the key', async () => {
  const { identifier, ann, sessionKeys } = await openAuthPlace();
  const answers = [
    await identifier.ofHeaders({ 'x-api-key': spoiled(ann.key)[0] }),
    await identifier.ofHeaders({ 'x-api-key': spoiled(sessionKeys.keyOf(sessionIds.bob))[0] }),
  ];
  expect(answers).toEqual([
    { kind: 'refused', reason: 'unknown', keyId: ann.keyId, sessionId: null },
    { kind: 'refused', reason: 'unknown', keyId: null, sessionId: sessionIds.bob },
  ]);
});

async function reason({ identifier }: Place, headers: IncomingHttpHeaders): Promise<string> {
  const answer = await identifier.ofHeaders(headers);
  return answer.kind === 'refused' ? answer.reason : 'none';
}
