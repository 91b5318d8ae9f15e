import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { openSocket } from './open-socket.ts';

/** Of all pages of a person only those of the place itself can open the place's sockets. */
export async function expectOwnSocketsAlone(page: Page, socketUrl: string): Promise<void> {
  const placeUrl = page.url();
  expect(await socketOpens(page, socketUrl)).toBe(true);
  const stranger = await page.context().newPage();
  await stranger.goto(await strangerUrl());
  expect(await socketOpens(stranger, socketUrl)).toBe(false);
  // Also where a browser would send the cookie along.
  const cookies = await page.context().cookies(placeUrl);
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const own = new URL(placeUrl).origin;
  expect(await openSocket(socketUrl, { cookie, origin: own })).toBe(101);
  expect(await openSocket(socketUrl, { cookie, origin: new URL(stranger.url()).origin })).toBe(403);
  expect(await openSocket(socketUrl, { origin: own })).toBe(401);
  await stranger.close();
}

function socketOpens(page: Page, url: string): Promise<boolean> {
  return page.evaluate(`new Promise((resolve) => {
    const socket = new WebSocket(${JSON.stringify(url)});
    socket.onopen = () => { socket.close(); resolve(true); };
    socket.onerror = () => resolve(false);
  })`) as Promise<boolean>;
}

/** On the same host where that is an address, so that its pages are of the same site. */
async function strangerUrl(): Promise<string> {
  const server = createServer((_request, response) => response.end('<!doctype html><title>stranger</title>'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
