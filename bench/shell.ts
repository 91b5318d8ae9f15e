import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Row } from './runner.ts';
import { HttpClient } from './support/http-client.ts';
import { NodeProcess } from './support/node-process.ts';
import { ratioAtMost } from './support/rows.ts';
import { median, takeInTurns, timeMs } from './support/samples.ts';
import { runBody, SandboxServer } from './support/sandbox-server.ts';

export const title = 'shell';
export const description = 'one command over HTTP keep-alive, against a bare pty and against spawning bash';

const bareServer = fileURLToPath(new URL('./processes/bare-shell-server.ts', import.meta.url));
const body = runBody('true');

export async function run(): Promise<Row[]> {
  const bare = new NodeProcess([bareServer], process.env);
  const bareClient = new HttpClient(Number(await bare.says(/port (\d+) /)));
  const pty = await SandboxServer.start('pty');
  const tmux = await SandboxServer.start('tmux');
  try {
    const post = (client: HttpClient) => timeMs(() => client.post('/execute_action', body));
    const samples = await takeInTurns(
      {
        bare: { inARow: 20, take: () => post(bareClient) },
        pty: { inARow: 20, take: () => post(pty.client) },
        spawned: { inARow: 10, take: () => timeMs(spawnBash) },
        tmux: { inARow: 20, take: () => post(tmux.client) },
      },
      { rounds: 100, warmUpRounds: 30 },
    );
    for (const server of [pty, tmux]) await server.run('true');
    return rows(samples);
  } finally {
    bareClient.close();
    await Promise.all([bare.stop(), pty.close(), tmux.close()]);
  }
}

function rows(samples: Record<'bare' | 'pty' | 'tmux' | 'spawned', number[]>): Row[] {
  const bare = { unit: 'ms', floor: median(samples.bare), floorWhat: 'bare HTTP and pty' };
  const spawned = { unit: 'ms', floor: median(samples.spawned), floorWhat: 'spawn bash -c true' };
  const pty = { what: 'run true, pty, p50', figure: median(samples.pty) };
  const tmux = { what: 'run true, tmux, p50', figure: median(samples.tmux) };
  return [
    ratioAtMost({ ...pty, ...bare, bar: 2 }),
    ratioAtMost({ ...pty, ...spawned, bar: 0.4 }),
    ratioAtMost({ ...tmux, ...spawned, bar: 0.6 }),
    ratioAtMost({ ...tmux, ...bare }),
  ];
}

async function spawnBash(): Promise<void> {
  const child = spawn('bash', ['-c', 'true'], { stdio: 'ignore' });
  await once(child, 'exit');
}
