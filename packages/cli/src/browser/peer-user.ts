import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

/** Whether the other end of a connection over 127.0.0.1 is a process of the user who runs this one. */
export function isOfThisUser({ remotePort, localPort }: Socket): boolean {
  const user = userOfConnection(portText(remotePort), portText(localPort));
  return user !== undefined && user === process.getuid?.();
}

/** The kernel tells whose each end of a connection is. */
function userOfConnection(from: string, to: string): number | undefined {
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1)) {
    const [, local, remote, , , , , uid] = line.trim().split(/\s+/);
    if (local === `0100007F:${from}` && remote === `0100007F:${to}`) return Number(uid);
  }
  return undefined;
}

function portText(port: number | undefined): string {
  return (port ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
