import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Row } from './runner.ts';
import { NodeProcess } from './support/node-process.ts';
import { ratioAtMost } from './support/rows.ts';
import { median } from './support/samples.ts';

export const title = 'bridge';
export const description =
  'an empty request from Python to the window, against a bare WebSocket echo from Python';

const serverProgram = fileURLToPath(new URL('./processes/bridge-server.ts', import.meta.url));
const clientProgram = fileURLToPath(new URL('./bridge/round-trips.py', import.meta.url));
const pythonSource = fileURLToPath(new URL('../python/src', import.meta.url));
const runFile = promisify(execFile);

export async function run(): Promise<Row[]> {
  const server = new NodeProcess([serverProgram], process.env);
  try {
    const { env, echo } = JSON.parse(await server.says(/ready (.*) \./)) as {
      env: Record<string, string>;
      echo: string;
    };
    const { stdout } = await runFile('python3', [clientProgram, echo, '100', '20'], {
      env: { ...process.env, ...env, PYTHONPATH: pythonSource, PYTHONDONTWRITEBYTECODE: '1' },
      maxBuffer: 16 * 1024 * 1024,
    });
    return rows(JSON.parse(stdout) as Record<'bare' | 'bridge' | 'asynchronous', number[]>);
  } finally {
    await server.stop();
  }
}

function rows({ bare, bridge, asynchronous }: Record<'bare' | 'bridge' | 'asynchronous', number[]>): Row[] {
  const floor = { unit: 'ms', floor: median(bare), floorWhat: 'bare WebSocket echo' };
  return [
    ratioAtMost({ what: 'empty request, p50', figure: median(bridge), ...floor, bar: 3 }),
    ratioAtMost({ what: 'the same with asyncio, p50', figure: median(asynchronous), ...floor }),
  ];
}
