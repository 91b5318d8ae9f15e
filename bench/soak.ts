import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Row } from './runner.ts';
import { openHandles, processesWith, residentMegabytes } from './support/process-facts.ts';
import { figureBelow, noGrowth, ratioAtMost } from './support/rows.ts';
import { median, timeMs } from './support/samples.ts';
import { actionBody, runBody, SandboxServer } from './support/sandbox-server.ts';

export const title = 'soak';
export const description =
  '10,000 commands and 1,000 edits in one session: no slower, and nothing left behind';

const commandCount = 10_000;
const editCount = 1_000;
const warmUpCount = 500;
const settleMs = 500;

export async function run(): Promise<Row[]> {
  return [...(await soak('pty')), ...(await soak('tmux'))];
}

async function soak(terminal: 'pty' | 'tmux'): Promise<Row[]> {
  const server = await SandboxServer.start(terminal);
  try {
    for (let count = 0; count < warmUpCount; count += 1) await echo(server, count);
    const before = await takeStock(server);
    const commands = await timeEach(commandCount, (count) => echo(server, count));
    const edits = await timeEdits(server);
    const after = await takeStock(server);
    return [
      lastAgainstFirst(`${terminal}: command, last thousand, p50`, commands, 1000),
      lastAgainstFirst(`${terminal}: edit, last hundred, p50`, edits, 100),
      noGrowth(`${terminal}: open handles`, before.handles, after.handles),
      noGrowth(`${terminal}: processes`, before.processes, after.processes),
      figureBelow({
        what: `${terminal}: memory growth`,
        figure: after.residentMegabytes - before.residentMegabytes,
        unit: 'MB',
      }),
    ];
  } finally {
    await server.close();
  }
}

async function timeEdits(server: SandboxServer): Promise<number[]> {
  const path = join(server.place.workspace, 'edited.txt');
  const lines = Array.from({ length: 200 }, (_, index) => `line ${index} of a file like many others`);
  writeFileSync(path, `value = 0;\n${lines.join('\n')}\n`);
  return timeEach(editCount, async (count) => {
    const replacement = { old_str: `value = ${count};`, new_str: `value = ${count + 1};` };
    const answer = await act(server, actionBody('edit', { command: 'str_replace', path, ...replacement }));
    if (!answer.content.includes('has been edited'))
      throw new Error(`Edit ${count} failed: ${answer.content}`);
  });
}

async function echo(server: SandboxServer, count: number): Promise<void> {
  const { content } = await act(server, runBody(`echo ${count}`));
  if (!content.startsWith(`${count}`)) throw new Error(`echo ${count} was answered with ${content}`);
}

async function act(server: SandboxServer, body: string): Promise<{ content: string }> {
  return JSON.parse(await server.client.post('/execute_action', body)) as { content: string };
}

async function timeEach(count: number, work: (index: number) => Promise<void>): Promise<number[]> {
  const samples: number[] = [];
  for (let index = 0; index < count; index += 1) samples.push(await timeMs(() => work(index)));
  return samples;
}

function lastAgainstFirst(what: string, samples: number[], count: number): Row {
  const figure = median(samples.slice(-count));
  return ratioAtMost({
    what,
    figure,
    unit: 'ms',
    floor: median(samples.slice(0, count)),
    floorWhat: `first ${count}`,
    bar: 1.3,
  });
}

async function takeStock({ process: { pid }, place }: SandboxServer) {
  // What the last command left to be done after its answer is not growth.
  await delay(settleMs);
  return {
    handles: openHandles(pid),
    processes: processesWith(place.directory),
    residentMegabytes: residentMegabytes(pid),
  };
}
