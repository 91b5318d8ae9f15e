import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createGuard } from '../src/http/guard.ts';
import { Tickets } from '../src/http/tickets.ts';
import { checkReach } from '../src/start/address.ts';

/** What cannot be tried on loopback. */
function isAccepted(options: { host: string; sessionApiKey?: string }, host: string): boolean {
  const guard = createGuard({ allowedHosts: [], sessionApiKey: undefined, ...options });
  try {
    guard.checkSite({ headers: { host } } as IncomingMessage);
    return true;
  } catch {
    return false;
  }
}

test('beyond loopback with a key any Host is accepted', () => {
  expect(isAccepted({ host: '0.0.0.0', sessionApiKey: 'k' }, 'box.example:80')).toBe(true);
  expect(isAccepted({ host: '192.0.2.7', sessionApiKey: 'k' }, 'box.example')).toBe(true);
});

test('beyond loopback without a key only addresses are, which cannot be made to point elsewhere', () => {
  expect(isAccepted({ host: '0.0.0.0' }, '192.0.2.7:3000')).toBe(true);
  expect(isAccepted({ host: '::' }, '[2001:db8::1]:3000')).toBe(true);
  expect(isAccepted({ host: '0.0.0.0' }, 'box.example')).toBe(false);
  expect(isAccepted({ host: '192.0.2.7' }, '192.0.2.7:3000')).toBe(true);
  expect(isAccepted({ host: '192.0.2.7' }, '192.0.2.8:3000')).toBe(false);
});

test('beyond loopback the server needs a key or a word', () => {
  for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '::1']) checkReach(host, false);
  for (const host of ['0.0.0.0', '::', '192.0.2.7', 'box.example', '']) {
    expect(() => checkReach(host, false)).toThrow('--insecure-no-key');
    checkReach(host, true);
  }
});

test('tickets end after their time, and old ones make room', () => {
  const tickets = new Tickets();
  const ticket = tickets.issue(0);
  expect(tickets.redeem(ticket, 30_000)).toBe(false);
  const first = tickets.issue(1);
  for (let n = 0; n < 1000; n += 1) tickets.issue(2);
  expect(tickets.redeem(first, 3)).toBe(false);
});
