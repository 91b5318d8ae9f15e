import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { endedLoginCookie, loginCookie, readLoginCookie } from '../../src/auth/cookies.ts';
import { digestHex } from '../../src/auth/digest.ts';
import { openAuthPlace, sessionIds } from './support/auth-place.ts';

describe('a ticket', () => {
  test('opens once what it was issued for', async () => {
    const { logins, ann } = await openAuthPlace();
    const grant = { ownerId: 'ann', keyId: ann.keyId, sessionId: sessionIds.ann };
    const ticket = logins.issueTicket(grant);
    expect(await logins.redeemTicket(ticket)).toEqual({ kind: 'granted', ...grant });
    expect(await logins.redeemTicket(ticket)).toMatchObject({ kind: 'refused', reason: 'unknown' });
  });

  test('opens nothing after 30 seconds, nor when its key was revoked', async () => {
    const { logins, clock, store, ann } = await openAuthPlace();
    const grant = { ownerId: 'ann', keyId: ann.keyId, sessionId: null };
    const [late, intime, revoked] = [grant, grant, grant].map((each) => logins.issueTicket(each));
    clock.nowMs += 29_999;
    expect(await logins.redeemTicket(intime!)).toMatchObject({ kind: 'granted' });
    await store.keys.revoke(ann.keyId, new Date(clock.nowMs).toISOString());
    expect(await logins.redeemTicket(revoked!)).toMatchObject({ kind: 'refused', reason: 'revoked' });
    clock.nowMs += 1;
    expect(await logins.redeemTicket(late!)).toMatchObject({ kind: 'refused', reason: 'unknown' });
  });
});

test('a ticket that was asked for with a cookie opens nothing after the logout', async () => {
  const { logins } = await openAuthPlace();
  const value = await logins.begin({ ownerId: 'ann', keyId: null, sessionId: null });
  const granted = await logins.verify(value);
  if (granted.kind !== 'granted') throw new Error('the login is not valid');
  const [before, behind] = [logins.issueTicket(granted), logins.issueTicket(granted)];
  expect(await logins.redeemTicket(before)).toMatchObject({ kind: 'granted' });
  await logins.end(value);
  expect(await logins.redeemTicket(behind)).toMatchObject({ kind: 'refused', reason: 'unknown' });
});

test('an owner, or the key of a session, that asks for many tickets loses its own oldest alone', async () => {
  const { logins } = await openAuthPlace();
  const owner = { ownerId: 'ann', keyId: null, sessionId: null };
  const session = { ...owner, sessionId: sessionIds.ann };
  const [ofSession, ofAnn, ofBob] = [session, owner, { ...owner, ownerId: 'bob' }].map((grant) =>
    logins.issueTicket(grant),
  );
  for (let n = 0; n < 1000; n += 1) logins.issueTicket(session);
  expect(await logins.redeemTicket(ofSession!)).toMatchObject({ kind: 'refused' });
  expect(await logins.redeemTicket(ofAnn!)).toMatchObject({ kind: 'granted', ownerId: 'ann' });
  for (let n = 0; n < 1001; n += 1) logins.issueTicket(owner);
  expect(await logins.redeemTicket(ofBob!)).toMatchObject({ kind: 'granted', ownerId: 'bob' });
});

describe('a login', () => {
  test('is known by its cookie for 12 hours, and stored as a digest', async () => {
    const { logins, clock, stateDir, ann } = await openAuthPlace();
    const grant = { ownerId: 'ann', keyId: ann.keyId, sessionId: sessionIds.ann };
    const value = await logins.begin(grant);
    expect(readFileSync(join(stateDir, 'fairlead.db-wal')).includes(value)).toBe(false);
    clock.nowMs += 12 * 60 * 60 * 1000 - 1;
    const loginHash = digestHex(value);
    expect(await logins.verify(value)).toEqual({ kind: 'granted', ...grant, loginHash });
    clock.nowMs += 1;
    const { keyId, sessionId } = grant;
    expect(await logins.verify(value)).toEqual({ kind: 'refused', reason: 'expired', keyId, sessionId });
  });

  test('ends with its key, with its session, and when it is ended', async () => {
    const { logins, store, ann } = await openAuthPlace();
    const grant = { ownerId: 'ann', keyId: null, sessionId: null };
    const byKey = await logins.begin({ ...grant, keyId: ann.keyId });
    const bySession = await logins.begin({ ...grant, sessionId: sessionIds.ann });
    const free = await logins.begin(grant);
    await store.keys.revoke(ann.keyId, '2026');
    await store.sessions.remove(sessionIds.ann);
    expect(await logins.verify(byKey)).toMatchObject({ kind: 'refused', reason: 'revoked' });
    expect(await logins.verify(bySession)).toMatchObject({ kind: 'refused', reason: 'unknown' });
    expect(await logins.verify(free)).toMatchObject({ kind: 'granted' });
    await logins.end(free);
    expect(await logins.verify(free)).toMatchObject({ kind: 'refused', reason: 'unknown' });
  });
});

describe('the cookie', () => {
  const value = 'a-b_'.repeat(10) + 'xyz';

  test('is kept from scripts, from other sites, and from http where the browser came by https', () => {
    const plain = `fairlead=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=43200`;
    expect(loginCookie(value, { isSecure: false, basePath: '' })).toBe(plain);
    expect(loginCookie(value, { isSecure: true, basePath: '' })).toBe(`${plain}; Secure`);
    expect(endedLoginCookie({ isSecure: true, basePath: '/fairlead' })).toBe(
      'fairlead=; Path=/fairlead/; HttpOnly; SameSite=Lax; Max-Age=0; Secure',
    );
  });

  test.each([
    [undefined, { kind: 'none' }],
    ['', { kind: 'none' }],
    ['theme=dark; xfairlead=1; fairleads=2', { kind: 'none' }],
    [`theme=dark; fairlead=${value}; last=1`, { kind: 'value', value }],
    [`fairlead=${value};fairlead=${value}`, { kind: 'value', value }],
    [`fairlead=${value}; fairlead=${value.replace('a', 'b')}`, { kind: 'malformed' }],
    ['fairlead=', { kind: 'malformed' }],
    [`fairlead=${value}a`, { kind: 'malformed' }],
    [`fairlead="${value}"`, { kind: 'malformed' }],
  ])('is read from the header %j', (header, reading) => {
    expect(readLoginCookie(header, { isSecure: false, basePath: '' })).toEqual(reading);
  });
});
