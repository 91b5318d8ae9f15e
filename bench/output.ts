import { fileURLToPath } from 'node:url';
import type { Row } from './runner.ts';
import { NodeProcess } from './support/node-process.ts';
import { makeOutputFile, outputShapes, type OutputFile } from './support/output-file.ts';
import { watchMemory } from './support/process-facts.ts';
import { figureBelow, ratioAtLeast } from './support/rows.ts';
import { median } from './support/samples.ts';
import { makePlace, SandboxServer } from './support/sandbox-server.ts';

export const title = 'output';
export const description = '100 MB of output: throughput, memory, and how long the event loop is blocked';

const reader = fileURLToPath(new URL('./processes/bare-pty-reader.ts', import.meta.url));
const watched = ['--import', fileURLToPath(new URL('./processes/watch-event-loop.mjs', import.meta.url))];
const timeoutSeconds = 600;

export async function run(): Promise<Row[]> {
  const place = makePlace();
  const bare = new NodeProcess([...watched, reader], place.environment);
  try {
    await bare.says(/event loop is watched/);
    const rows: Row[] = [];
    for (const shape of outputShapes) {
      const file = await makeOutputFile(place.directory, shape, 100);
      rows.push(...(await measure('pty', file, bare, 5)));
      // tmux takes a minute for what the pty does in a second.
      const smallFile = await makeOutputFile(place.directory, shape, 10);
      rows.push(...(await measure('tmux', smallFile, bare, 3)));
    }
    return rows;
  } finally {
    await bare.stop();
    place.remove();
  }
}

async function measure(
  terminal: 'pty' | 'tmux',
  file: OutputFile,
  bare: NodeProcess,
  rounds: number,
): Promise<Row[]> {
  const server = await SandboxServer.start(terminal, watched);
  try {
    await server.run('true');
    const memory = watchMemory(server.process.pid);
    const samples = { bare: [] as Sample[], server: [] as Sample[] };
    for (let round = 0; round < rounds; round += 1) {
      samples.bare.push(await sample(bare, () => readBare(bare, file)));
      samples.server.push(await sample(server.process, () => runCat(server, file)));
    }
    const name = `${terminal}, ${file.what}`;
    return rowsOf(name, samples, memory.growthMegabytes(), terminal === 'pty');
  } finally {
    await server.close();
  }
}

interface Sample {
  megabytesPerSecond: number;
  longestBlockMs: number;
}

async function sample(watchedProcess: NodeProcess, work: () => Promise<number>): Promise<Sample> {
  await longestBlock(watchedProcess);
  const megabytesPerSecond = await work();
  return { megabytesPerSecond, longestBlockMs: await longestBlock(watchedProcess) };
}

async function longestBlock(watchedProcess: NodeProcess): Promise<number> {
  watchedProcess.signal('SIGUSR2');
  return Number(await watchedProcess.says(/longest block (\S+) ms\n/));
}

async function readBare(bare: NodeProcess, file: OutputFile): Promise<number> {
  bare.tell(`${file.path}\t${file.terminalBytes}`);
  return file.megabytes / (Number(await bare.says(/took (\S+) ms\n/)) / 1000);
}

async function runCat(server: SandboxServer, file: OutputFile): Promise<number> {
  const startedAt = performance.now();
  await server.run(`cat ${file.path}`, timeoutSeconds);
  return file.megabytes / ((performance.now() - startedAt) / 1000);
}

/** The bars are for the pty; tmux parses and stores every byte itself, and its rows inform. */
function rowsOf(
  name: string,
  samples: Record<'bare' | 'server', Sample[]>,
  growthMegabytes: number,
  isPromised: boolean,
): Row[] {
  const throughput = (of: Sample[]) => median(of.map(({ megabytesPerSecond }) => megabytesPerSecond));
  const blockMs = (of: Sample[]) => Math.max(...of.map(({ longestBlockMs }) => longestBlockMs));
  const bar = (value: number) => (isPromised ? { bar: value } : {});
  return [
    ratioAtLeast({
      what: `${name}: throughput`,
      figure: throughput(samples.server),
      unit: 'MB/s',
      floor: throughput(samples.bare),
      floorWhat: 'bare pty',
      ...bar(0.6),
    }),
    figureBelow({ what: `${name}: memory growth`, figure: growthMegabytes, unit: 'MB', ...bar(64) }),
    figureBelow({
      what: `${name}: longest block of the event loop`,
      figure: blockMs(samples.server),
      unit: 'ms',
      floor: blockMs(samples.bare),
      floorWhat: 'bare pty',
      ...bar(50),
    }),
  ];
}
