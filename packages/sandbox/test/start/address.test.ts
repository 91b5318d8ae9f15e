import { expect, test } from 'vitest';
import { checkReach } from '../../src/start/address.ts';

test('beyond loopback the server needs a key or a word', () => {
  for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '::1']) checkReach(host, false);
  for (const host of ['0.0.0.0', '::', '192.0.2.7', 'box.example', '']) {
    expect(() => checkReach(host, false)).toThrow('--insecure-no-key');
    checkReach(host, true);
  }
});
