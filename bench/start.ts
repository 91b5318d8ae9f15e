import type { Row } from './runner.ts';
import { firstAlive } from './support/first-alive.ts';
import { freePort } from './support/free-port.ts';
import { NodeProcess } from './support/node-process.ts';
import { ratioAtMost } from './support/rows.ts';
import { median, takeInTurns, timeMs } from './support/samples.ts';
import { makePlace, sandboxCommand, serverArguments, type TerminalKind } from './support/sandbox-server.ts';
import { startNode } from './support/start-node.ts';

export const title = 'start';
export const description = 'process start to the first answer of /alive, against node -e 0';

export async function run(): Promise<Row[]> {
  const samples = await takeInTurns(
    {
      node: { inARow: 1, take: () => timeMs(startNode) },
      chosen: { inARow: 1, take: () => startServer('auto') },
      pty: { inARow: 1, take: () => startServer('pty') },
    },
    // The first starts fill the compile cache.
    { rounds: 25, warmUpRounds: 2 },
  );
  const node = { unit: 'ms', floor: median(samples.node), floorWhat: 'node -e 0', bar: 5 };
  return [
    ratioAtMost({ what: 'as started by default, p50', figure: median(samples.chosen), ...node }),
    ratioAtMost({ what: 'with --terminal pty, p50', figure: median(samples.pty), ...node }),
  ];
}

async function startServer(terminal: TerminalKind): Promise<number> {
  const place = makePlace();
  const port = await freePort();
  const startedAt = performance.now();
  const server = new NodeProcess(
    [sandboxCommand, String(port), ...serverArguments(place, terminal)],
    place.environment,
  );
  try {
    await Promise.race([firstAlive(port), server.failed()]);
    return performance.now() - startedAt;
  } finally {
    await server.stop();
    place.remove();
  }
}
