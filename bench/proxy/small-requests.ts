import type { Row } from '../runner.ts';
import { startNginx } from '../support/nginx.ts';
import { ProxiedApp } from '../support/proxied-app.ts';
import { figureBelow, ratioAtLeast } from '../support/rows.ts';
import { median, takeInTurns } from '../support/samples.ts';
import { wrk } from '../support/wrk.ts';

interface Amount {
  rounds: number;
  warmUpRounds: number;
  /** For each sample. */
  seconds: number;
}

export async function smallRequests({ rounds, warmUpRounds, seconds }: Amount): Promise<Row[]> {
  const app = await ProxiedApp.start();
  const nginx = await startNginx(app.place.directory, app.port);
  try {
    const bare = await app.startBareProxy();
    const { path, headers } = app;
    const load = (port: number) => wrk({ url: `http://127.0.0.1:${port}${path}`, headers, seconds });
    const samples = await takeInTurns(
      {
        bare: { inARow: 1, take: () => load(bare) },
        gateway: { inARow: 1, take: () => load(app.gateway.port) },
        nginx: { inARow: 1, take: async () => (nginx === undefined ? 0 : load(nginx.port)) },
      },
      { rounds, warmUpRounds },
    );
    const unit = 'requests/s';
    return [
      ratioAtLeast({
        what: 'small requests, authenticated, 50 connections',
        figure: median(samples.gateway),
        unit,
        floor: median(samples.bare),
        floorWhat: 'bare node:http proxy',
        bar: 0.7,
      }),
      ...(nginx === undefined
        ? []
        : [figureBelow({ what: 'the same through nginx, unchecked', figure: median(samples.nginx), unit })]),
    ];
  } finally {
    await nginx?.stop();
    await app.close();
  }
}
