import type { Row } from '../runner.ts';
import { GatewayServer } from '../support/gateway-server.ts';
import { firstCommand, passingSession } from '../support/first-command.ts';
import { figureBelow, ratioAtMost } from '../support/rows.ts';
import { median, takeInTurns, timeMs } from '../support/samples.ts';
import { startNode } from '../support/start-node.ts';

interface Sizes {
  /** Sessions one after the other, and again at once. */
  count: number;
  warmUpRounds: number;
}

const coldBar = 10;
const warmBar = 1.5;
/** The gateway may learn a moment later than this benchmark that a sandbox is ready. */
const warmAttempts = 5;

/** From the request for a session to the end of its first command. */
export async function createToFirstCommand(sizes: Sizes): Promise<Row[]> {
  return [...(await oneAfterTheOther(sizes)), ...(await atOnce(sizes.count))];
}

async function oneAfterTheOther({ count, warmUpRounds }: Sizes): Promise<Row[]> {
  const cold = await GatewayServer.start({ warmSize: 0 });
  const warm = await GatewayServer.start({ warmSize: 1 });
  try {
    const samples = await takeInTurns(
      {
        node: { inARow: 1, take: () => timeMs(startNode) },
        cold: { inARow: 1, take: async () => (await passingSession(cold)).tookMs },
        warm: { inARow: 1, take: () => warmSession(warm) },
      },
      { rounds: count, warmUpRounds },
    );
    const node = { unit: 'ms', floor: median(samples.node), floorWhat: 'node -e 0' };
    const what = `create to first command, ${count} sequential`;
    return [
      ratioAtMost({ what: `${what}, cold, p50`, figure: median(samples.cold), ...node, bar: coldBar }),
      ratioAtMost({ what: `${what}, warm, p50`, figure: median(samples.warm), ...node, bar: warmBar }),
    ];
  } finally {
    await Promise.all([cold.close(), warm.close()]);
  }
}

/** The floor starts as many at once, for whoever shares a processor waits for it, and in between. */
async function atOnce(count: number): Promise<Row[]> {
  const starts = await startNodes(count);
  const cold = await burst(count, 0);
  starts.push(...(await startNodes(count)));
  const warm = await burst(count, count);
  starts.push(...(await startNodes(count)));
  const node = { unit: 'ms', floor: median(starts), floorWhat: `${count} × node -e 0 at once` };
  const what = `create to first command, ${count} at once`;
  return [
    ratioAtMost({ what: `${what}, cold, p50`, figure: median(cold.tookMs), ...node, bar: coldBar }),
    ratioAtMost({ what: `${what}, warm, p50`, figure: median(warm.tookMs), ...node, bar: warmBar }),
    figureBelow({ what: `${what}, failed`, figure: cold.failed + warm.failed, unit: 'sessions', bar: 1 }),
  ];
}

function startNodes(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => timeMs(startNode)));
}

async function burst(count: number, warmSize: number): Promise<{ tookMs: number[]; failed: number }> {
  const gateway = await GatewayServer.start({ warmSize });
  try {
    // Loads what the first request of a gateway loads.
    await passingSession(gateway);
    if (warmSize > 0) await gateway.warmIds();
    const sessions = await Promise.allSettled(Array.from({ length: count }, () => firstCommand(gateway)));
    for (const session of sessions) if (session.status === 'rejected') console.error(String(session.reason));
    const succeeded = sessions.filter((session) => session.status === 'fulfilled');
    return { tookMs: succeeded.map(({ value }) => value.tookMs), failed: count - succeeded.length };
  } finally {
    await gateway.close();
  }
}

async function warmSession(gateway: GatewayServer): Promise<number> {
  for (let attempts = 0; attempts < warmAttempts; attempts += 1) {
    const ready = await gateway.warmIds();
    const { id, tookMs } = await passingSession(gateway);
    // The next sandbox gets ready now, not during what is measured next.
    await gateway.warmIds();
    if (ready.has(id)) return tookMs;
  }
  throw new Error(`Of ${warmAttempts} sessions none was given the sandbox that was ready`);
}
