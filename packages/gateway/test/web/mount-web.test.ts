import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { mountWeb } from '../../src/web/mount-web.ts';
import { PlaceUrls } from '../../src/web/place-urls.ts';
import { Wire } from '../proxy/support/wire.ts';

test('a visit that fails ends with its connection and a line in the log, and never more', async () => {
  const logged: string[] = [];
  const http = createServer();
  const web = {
    handles: () => true,
    serve: () => Promise.reject(new Error('no request')),
    upgrade: () => Promise.reject(new Error('no socket')),
  };
  mountWeb(http, web, new PlaceUrls({ host: '127.0.0.1' }), (line) => logged.push(line));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(() => void http.close());
  const { port } = http.address() as AddressInfo;
  expect(await new Wire(port).request('GET /').ends()).toBe('');
  expect(await new Wire(port).request('GET /', 'Connection: Upgrade', 'Upgrade: websocket').ends()).toBe('');
  expect(logged).toEqual(['a visit failed: no request', 'a visit failed: no socket']);
});
