import { setTimeout as delay } from 'node:timers/promises';
import type { Row } from '../runner.ts';
import { GatewayServer } from '../support/gateway-server.ts';
import { proportionalMegabytes, residentMegabytes, sandboxProcesses } from '../support/process-facts.ts';
import { figureBelow } from '../support/rows.ts';

const atATime = 4;
/** For what a start or a command leaves to be done after its answer. */
const settleMs = 2_000;

/** What many sessions that have worked once and now do nothing cost: in the gateway, and each for itself. */
export async function idleSessions({
  count,
  warmUpCount,
}: {
  count: number;
  warmUpCount: number;
}): Promise<Row[]> {
  const gateway = await GatewayServer.start({ warmSize: 0 });
  try {
    const { pid } = gateway.process;
    for (const id of await createSessions(gateway, warmUpCount)) await gateway.removeSession(id);
    await delay(settleMs);
    const before = residentMegabytes(pid);
    await createSessions(gateway, count);
    await delay(settleMs);
    const growth = (residentMegabytes(pid) - before) / count;
    const sandboxes = [...sandboxProcesses(gateway.stateDir).values()];
    if (sandboxes.length !== count) throw new Error(`Found ${sandboxes.length} of ${count} sandboxes`);
    const sizes = sandboxes.map((pids) =>
      pids.map(proportionalMegabytes).reduce((sum, each) => sum + each, 0),
    );
    return [
      figureBelow({
        what: `${count} idle sessions: gateway, RSS for each`,
        figure: growth,
        unit: 'MB',
        bar: 1,
      }),
      figureBelow({
        what: `${count} idle sessions: largest sandbox, PSS of all its processes`,
        figure: Math.max(...sizes),
        unit: 'MB',
        bar: 80,
      }),
    ];
  } finally {
    await gateway.close();
  }
}

async function createSessions(gateway: GatewayServer, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const some = Array.from({ length: Math.min(atATime, count - ids.length) }, async () => {
      const id = await gateway.createSession();
      await gateway.run(id, 'true');
      return id;
    });
    ids.push(...(await Promise.all(some)));
  }
  return ids;
}
