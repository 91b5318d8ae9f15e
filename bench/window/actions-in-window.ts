import { Caller } from '../../tests/gateway/support/caller.ts';
import type { Row } from '../runner.ts';
import { GatewayServer } from '../support/gateway-server.ts';
import { ratioAtMost } from '../support/rows.ts';
import { median, takeInTurns, timeMs } from '../support/samples.ts';
import { actionBody, runBody } from '../support/sandbox-server.ts';
import type { BenchWindows } from './bench-windows.ts';

const file = 'megabyte.txt';
const line = `${'x'.repeat(63)}\n`;
const megabyte = line.repeat(1_048_576 / line.length);
const runTrue = { body: runBody('true'), what: 'run true, p50', inARow: 20 };
const readFile = { body: actionBody('read', { path: file }), what: 'read of 1 MB, p50', inARow: 3 };

/** The same action of the same gateway in a window and in a local sandbox, in turns, each on a connection that is kept. */
export async function actionsInWindow(
  windows: BenchWindows,
  sizes: { rounds: number; warmUpRounds: number },
): Promise<Row[]> {
  const gateway = await GatewayServer.start({ warmSize: 0 });
  try {
    const window = await windows.open({ [file]: megabyte });
    await window.connect(new Caller(gateway.port, gateway.key));
    const inWindow = await gateway.create({ driver: 'window', labels: { agent: 'Bench' } });
    const inSandbox = await gateway.create({});
    await gateway.run(inSandbox.id, `yes ${line.trim()} | head -c ${megabyte.length} >${file}`);
    const client = gateway.newClient({ connections: 1 });
    const rows: Row[] = [];
    for (const { body, what, inARow } of [runTrue, readFile]) {
      const source = (id: string) => ({
        inARow,
        take: () => timeMs(() => client.post(`/runtimes/${id}/execute_action`, body)),
      });
      const samples = await takeInTurns(
        { sandbox: source(inSandbox.id), window: source(inWindow.id) },
        sizes,
      );
      const [figure, floor] = [median(samples.window), median(samples.sandbox)];
      rows.push(ratioAtMost({ what, figure, unit: 'ms', floor, floorWhat: 'in a local sandbox', bar: 5 }));
    }
    client.close();
    await gateway.run(inWindow.id, 'true');
    await window.close();
    return rows;
  } finally {
    await gateway.close();
  }
}
