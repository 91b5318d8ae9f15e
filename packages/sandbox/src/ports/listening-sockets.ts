import { readFileSync } from 'node:fs';

export interface ListeningSocket {
  port: number;
  address: string;
  inode: string;
}

const listening = '0A';

/** Every TCP socket that listens in this network, whosever it is. */
export function listeningSockets(): ListeningSocket[] {
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((path) => parseSocketTable(read(path)));
}

/** `sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode …`, a line for each. */
export function parseSocketTable(text: string): ListeningSocket[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (local === undefined || inode === undefined || state !== listening) return [];
      const [address = '', port = ''] = local.split(':');
      return { port: Number.parseInt(port, 16), address: parseAddress(address), inode };
    });
}

/** The kernel prints each group of four bytes as a number of this machine. */
function parseAddress(hex: string): string {
  const groups = hex.match(/.{8}/g) ?? [];
  const bytes = groups.flatMap((group) => [...Buffer.from(group, 'hex').reverse()]);
  return bytes.length === 4 ? bytes.join('.') : ipv6(bytes);
}

function ipv6(bytes: number[]): string {
  const parts = Array.from({ length: 8 }, (_, index) => bytes[index * 2]! * 256 + bytes[index * 2 + 1]!);
  const isMapped = parts.slice(0, 5).every((part) => part === 0) && parts[5] === 0xffff;
  if (isMapped) return bytes.slice(12).join('.');
  // The URL parser writes addresses in their shortest form.
  return new URL(`http://[${parts.map((part) => part.toString(16)).join(':')}]`).hostname.slice(1, -1);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
