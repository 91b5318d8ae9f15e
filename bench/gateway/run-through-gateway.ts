import type { Row } from '../runner.ts';
import { GatewayServer } from '../support/gateway-server.ts';
import { HttpClient } from '../support/http-client.ts';
import { ratioAtMost } from '../support/rows.ts';
import { median, takeInTurns, timeMs } from '../support/samples.ts';
import { runBody } from '../support/sandbox-server.ts';

const body = runBody('true');

/** One command by way of the gateway, and the same straight to the same sandbox, each on a connection that is kept. */
export async function runThroughGateway(sizes: { rounds: number; warmUpRounds: number }): Promise<Row[]> {
  const gateway = await GatewayServer.start({ warmSize: 0 });
  try {
    const id = await gateway.createSession();
    const throughGateway = gateway.newClient({ connections: 1 });
    const straight = new HttpClient(gateway.socketOf(id));
    const samples = await takeInTurns(
      {
        straight: { inARow: 20, take: () => timeMs(() => straight.post('/execute_action', body)) },
        gateway: {
          inARow: 20,
          take: () => timeMs(() => throughGateway.post(`/runtimes/${id}/execute_action`, body)),
        },
      },
      sizes,
    );
    for (const client of [throughGateway, straight]) client.close();
    await gateway.run(id, 'true');
    const floor = { floor: median(samples.straight), floorWhat: 'straight to its sandbox' };
    const figure = median(samples.gateway);
    return [ratioAtMost({ what: 'run true, p50', figure, unit: 'ms', ...floor, bar: 3 })];
  } finally {
    await gateway.close();
  }
}
