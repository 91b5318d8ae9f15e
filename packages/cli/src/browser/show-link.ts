import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from './find-browser.ts';
import { isOfThisUser } from './peer-user.ts';

export interface Showing {
  link: string;
  browser: Browser;
  /** How long the link is good for. */
  timeoutMs: number;
}

/**
 * Lets a browser show a link that nobody else may see. Every user of a machine can read command lines, so the browser is
 * given an address of this process, which sends the first visitor of this user on to the link. Answers whether one came.
 */
export async function showLink({ link, browser, timeoutMs }: Showing): Promise<boolean> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    return await new Promise<boolean>((resolve, reject) => {
      setTimeout(() => resolve(false), timeoutMs).unref();
      server.on('request', (request, response) => {
        if (isWelcome(request, address)) sendOn(response, link, () => resolve(true));
        else response.writeHead(403).end();
      });
      const { file, args } = browser(`http://${address}/`);
      const child = spawn(file, args, { detached: true, stdio: 'ignore' });
      child.on('error', reject);
      child.on('exit', (code) => code !== 0 && reject(new Error(`${file} ended with ${code ?? 'a signal'}`)));
      child.unref();
    });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function isWelcome({ method, url, headers, socket }: IncomingMessage, address: string): boolean {
  // A browser also asks for an icon, and pages of other sites may ask for anything.
  return method === 'GET' && url === '/' && headers.host === address && isOfThisUser(socket);
}

function sendOn(response: ServerResponse, link: string, done: () => void): void {
  response.on('finish', done);
  response
    .writeHead(303, { location: link, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    .end();
}
