import { get } from 'node:http';
import type { Row } from '../runner.ts';
import { watchMemory } from '../support/process-facts.ts';
import { ProxiedApp } from '../support/proxied-app.ts';
import { figureBelow } from '../support/rows.ts';
import { timeMs } from '../support/samples.ts';

const bytes = 1_000_000_000;

export async function largeDownload(): Promise<Row[]> {
  const app = await ProxiedApp.start();
  try {
    await download(app, 1000);
    const memory = watchMemory(app.gateway.process.pid);
    const tookMs = await timeMs(() => download(app, bytes));
    const growth = memory.growthMegabytes();
    return [
      figureBelow({ what: '1 GB download: memory growth', figure: growth, unit: 'MB', bar: 64 }),
      figureBelow({ what: '1 GB download: throughput', figure: bytes / 1e3 / tookMs, unit: 'MB/s' }),
    ];
  } finally {
    await app.close();
  }
}

function download({ gateway: { port }, path, headers }: ProxiedApp, wanted: number): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: `${path}bytes/${wanted}`, headers }, (answer) => {
      let received = 0;
      answer.on('data', (piece: Buffer) => (received += piece.length));
      answer.on('error', reject);
      answer.on('end', () => {
        if (received === wanted) resolve();
        else reject(new Error(`Status ${answer.statusCode}, and ${received} bytes instead of ${wanted}`));
      });
    }).on('error', reject);
  });
}
