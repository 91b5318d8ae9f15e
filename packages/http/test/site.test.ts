import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createSiteCheck, hostCheck } from '../src/index.ts';

/** What cannot be tried on loopback. */
function isAccepted(options: { host: string; hasKey?: boolean }, host: string): boolean {
  const checkSite = createSiteCheck(hostCheck({ allowedHosts: [], hasKey: false, ...options }));
  try {
    checkSite({ headers: { host } } as IncomingMessage);
    return true;
  } catch {
    return false;
  }
}

test('beyond loopback with a key any Host is accepted', () => {
  expect(isAccepted({ host: '0.0.0.0', hasKey: true }, 'box.example:80')).toBe(true);
  expect(isAccepted({ host: '192.0.2.7', hasKey: true }, 'box.example')).toBe(true);
});

test('beyond loopback without a key only addresses are, which cannot be made to point elsewhere', () => {
  expect(isAccepted({ host: '0.0.0.0' }, '192.0.2.7:3000')).toBe(true);
  expect(isAccepted({ host: '::' }, '[2001:db8::1]:3000')).toBe(true);
  expect(isAccepted({ host: '0.0.0.0' }, 'box.example')).toBe(false);
  expect(isAccepted({ host: '192.0.2.7' }, '192.0.2.7:3000')).toBe(true);
  expect(isAccepted({ host: '192.0.2.7' }, '192.0.2.8:3000')).toBe(false);
});
