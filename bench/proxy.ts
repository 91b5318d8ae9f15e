import { largeDownload } from './proxy/large-download.ts';
import { smallRequests } from './proxy/small-requests.ts';
import { webSocketEcho } from './proxy/websocket-echo.ts';
import type { Row } from './runner.ts';

export const title = 'proxy';
export const description = 'through the proxy to a server of a session: small requests, WebSocket echo, 1 GB';

export async function run(): Promise<Row[]> {
  return [
    ...(await smallRequests({ rounds: 7, warmUpRounds: 2, seconds: 3 })),
    ...(await webSocketEcho({ rounds: 100, warmUpRounds: 30 })),
    ...(await largeDownload()),
  ];
}
