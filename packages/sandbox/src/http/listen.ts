import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where a server is reached. */
export type ListenOn =
  | {
      kind: 'port';
      host: string;
      /** 0 for any free one. */
      port: number;
      allowedHosts: string[];
    }
  | { kind: 'socket'; path: string };

/** Resolves with the address in the form of a URL. A Unix socket is for its owner only. */
export function listen(http: Server, listenOn: ListenOn): Promise<string> {
  return new Promise((resolve, reject) => {
    http.once('error', reject);
    const onListening = () => {
      http.off('error', reject);
      resolve(urlOf(http, listenOn));
    };
    if (listenOn.kind === 'port') return void http.listen(listenOn.port, listenOn.host, onListening);
    // The file is made before the call returns, so nobody else gets in between.
    const previousMask = process.umask(0o177);
    try {
      http.listen(listenOn.path, onListening);
    } finally {
      process.umask(previousMask);
    }
  });
}

function urlOf(http: Server, listenOn: ListenOn): string {
  if (listenOn.kind === 'socket') return `unix://${listenOn.path}`;
  const { port } = http.address() as AddressInfo;
  const { host } = listenOn;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
