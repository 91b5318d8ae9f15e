import { randomInt } from 'node:crypto';
import { missingNeeds } from '../scripts/machine-needs.mjs';
import { startDockerEngine } from '../tests/support/docker-engine.ts';
import { dockerImages } from '../tests/support/docker-images.ts';
import { type FaultReport, runFaults } from '../tests/faults/support/fault-run.ts';
import { faultKinds } from '../tests/faults/support/victims.ts';
import type { BenchmarkOptions, Row } from './runner.ts';
import { figureBelow } from './support/rows.ts';

export const title = 'faults';
export const description =
  'kill -9 of gateway, sandbox server and sandbox, 100 times at random moments under load (--seed N)';

const count = 100;
const clientsPerSession = 3;
/** Of each kind, the part that has to hit while an action is recorded and not answered. */
const leastInFlight = 0.5;

export async function run({ seed = randomInt(2 ** 31) }: BenchmarkOptions): Promise<Row[]> {
  console.error(`seed ${seed}`);
  const sizes = { seed, faults: count, clientsPerSession };
  const needs = missingNeeds().map(({ name }) => name);
  if (['dockerd', 'debootstrap', 'ip'].some((name) => needs.includes(name))) {
    console.error('Without dockerd, debootstrap and ip, and without root, there are no containers to kill.');
    return rows(await runFaults({ ...sizes, drivers: ['local', 'local', 'local', 'local'] }));
  }
  const engine = await startDockerEngine();
  try {
    const args = ['--docker-socket', engine.socket, '--image', dockerImages.debian];
    return rows(await runFaults({ ...sizes, drivers: ['local', 'local', 'docker', 'docker'], args }));
  } finally {
    await engine.stop();
  }
}

function rows(report: FaultReport): Row[] {
  for (const complaint of report.complaints) console.error(complaint);
  const { outcomes, complaints } = report;
  return [
    ...faultKinds.flatMap((kind) => kindRows(report, kind)),
    figureBelow({ what: 'of these in containers', figure: report.inContainers.length, unit: 'kills' }),
    figureBelow({ what: 'lost, run twice, left behind …', figure: complaints.length, unit: 'cases', bar: 1 }),
    figureBelow({ what: 'actions', figure: report.actions, unit: 'sent' }),
    figureBelow({ what: 'actions: told as unknown', figure: outcomes.unknown, unit: 'told' }),
    figureBelow({ what: 'actions: told as not run', figure: outcomes['not-run'], unit: 'told' }),
    figureBelow({ what: 'longest wait for an answer', figure: report.slowestAnswerMs / 1000, unit: 's' }),
  ];
}

function kindRows({ faults, inFlight }: FaultReport, kind: (typeof faultKinds)[number]): Row[] {
  const wanted = Math.floor(count / faultKinds.length);
  const killed = faults.filter((fault) => fault.kind === kind).length;
  const hit = inFlight.filter((fault) => fault.kind === kind).length;
  const least = Math.ceil(wanted * leastInFlight);
  return [
    { what: `${kind}: seen dead`, figure: killed, unit: 'kills', bar: `≥ ${wanted}`, pass: killed >= wanted },
    { what: `${kind}: under an action`, figure: hit, unit: 'kills', bar: `≥ ${least}`, pass: hit >= least },
  ];
}
