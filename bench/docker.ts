import { docker, startDockerEngine } from '../tests/support/docker-engine.ts';
import { dockerImages } from '../tests/support/docker-images.ts';
import type { Row } from './runner.ts';
import { passingSession } from './support/first-command.ts';
import { GatewayServer } from './support/gateway-server.ts';
import { ratioAtMost } from './support/rows.ts';
import { median, takeInTurns, timeMs } from './support/samples.ts';

export const title = 'docker';
export const description =
  'create to first command with the docker driver, against docker run --rm IMAGE true';

const image = dockerImages.debian;

export async function run(): Promise<Row[]> {
  const engine = await startDockerEngine();
  try {
    const args = ['--driver', 'docker', '--docker-socket', engine.socket, '--image', image];
    const gateway = await GatewayServer.start({ warmSize: 0, args });
    try {
      return await measure(gateway, engine.socket, { rounds: 25, warmUpRounds: 2 });
    } finally {
      await gateway.close();
    }
  } finally {
    await engine.stop();
  }
}

async function measure(
  gateway: GatewayServer,
  socket: string,
  sizes: { rounds: number; warmUpRounds: number },
): Promise<Row[]> {
  const samples = await takeInTurns(
    {
      bare: { inARow: 1, take: () => timeMs(() => docker(socket, 'run', '--rm', image, 'true')) },
      session: { inARow: 1, take: async () => (await passingSession(gateway)).tookMs },
    },
    sizes,
  );
  return [
    ratioAtMost({
      what: 'create to first command, p50',
      figure: median(samples.session),
      unit: 'ms',
      floor: median(samples.bare),
      floorWhat: 'docker run --rm IMAGE true',
      bar: 2.5,
    }),
  ];
}
