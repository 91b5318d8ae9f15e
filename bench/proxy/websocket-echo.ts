import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Row } from '../runner.ts';
import { ProxiedApp } from '../support/proxied-app.ts';
import { ratioAtMost } from '../support/rows.ts';
import { median, takeInTurns, timeMs } from '../support/samples.ts';

const inARow = 20;

export async function webSocketEcho(amount: { rounds: number; warmUpRounds: number }): Promise<Row[]> {
  const app = await ProxiedApp.start();
  try {
    const { port } = app.gateway;
    const bare = await app.startBareProxy();
    const plain = await open(`ws://127.0.0.1:${app.port}/`, {});
    const passed = await open(`ws://127.0.0.1:${bare}/`, {});
    const proxied = await open(`ws://127.0.0.1:${port}${app.path}`, {
      ...app.headers,
      origin: `http://127.0.0.1:${port}`,
    });
    const samples = await takeInTurns(
      {
        plain: { inARow, take: () => timeMs(() => echo(plain)) },
        passed: { inARow, take: () => timeMs(() => echo(passed)) },
        proxied: { inARow, take: () => timeMs(() => echo(proxied)) },
      },
      amount,
    );
    for (const socket of [plain, passed, proxied]) socket.terminate();
    const compared = { unit: 'ms', floor: median(samples.plain), floorWhat: 'without a proxy' };
    return [
      // It may add as much again.
      ratioAtMost({ what: 'WebSocket echo, p50', figure: median(samples.proxied), ...compared, bar: 2 }),
      ratioAtMost({ what: 'the same through the bare proxy', figure: median(samples.passed), ...compared }),
    ];
  } finally {
    await app.close();
  }
}

async function open(url: string, headers: Record<string, string>): Promise<WebSocket> {
  const socket = new WebSocket(url, { headers, perMessageDeflate: false });
  await once(socket, 'open');
  return socket;
}

async function echo(socket: WebSocket): Promise<void> {
  socket.send('hello');
  await once(socket, 'message');
}
