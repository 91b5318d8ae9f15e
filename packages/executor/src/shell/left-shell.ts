import { readlinkSync } from 'node:fs';
import type { HeldEvents } from './held-events.ts';
import type { CommandRecord, ShellDirectory } from './shell-directory.ts';
import type { AdoptedTerminal, TerminalFactory } from './terminal.ts';

/** What an earlier process left of a shell, and how far its last command had come. */
export interface LeftShell {
  pid: number;
  workingDirectory: string | undefined;
  /** Highest number that was given to a command. */
  n: number;
  /** The command that the shell began last; undefined when the last one was never begun. */
  command: CommandRecord | undefined;
  /** `gone`: the shell itself has ended, and its exit code is the command's. */
  state: 'running' | 'ended' | 'gone';
  exitCode: number | null;
  backgroundPid: number | null;
}

interface LeftTerminal {
  left: LeftShell;
  adopted: AdoptedTerminal | undefined;
  /** All that the terminal shows, and of a command that has ended all that it printed. */
  shown: string | undefined;
}

/** Finds what there is of a shell, and its terminal if that is there still. */
export async function takeOverShell(parts: {
  directory: ShellDirectory;
  factory: TerminalFactory;
  name: string;
  events: HeldEvents;
}): Promise<LeftTerminal> {
  const { directory, factory, name, events } = parts;
  const adopted = await factory.adopt(name, events);
  const shown = await adopted?.capture();
  const left = findLeftShell(directory);
  if (adopted === undefined || left.state === 'running') return { left, adopted, shown };
  // Its last words may have come in between. By the second question the terminal has read them.
  await adopted.capture();
  events.forget();
  return { left, adopted, shown: await adopted.capture() };
}

function findLeftShell(directory: ShellDirectory): LeftShell {
  const record = directory.readCommand();
  const begun = directory.readBegun();
  const last = directory.readEnded();
  const goneWith = directory.readGone();
  const hasEnded = last !== undefined && last.n >= begun.n;
  return {
    pid: begun.pid,
    workingDirectory: directoryOf(begun.pid),
    n: Math.max(begun.n, record?.n ?? 0),
    command: record?.n === begun.n && record.actionId !== '' ? record : undefined,
    state: goneWith !== undefined ? 'gone' : hasEnded ? 'ended' : 'running',
    exitCode: goneWith ?? last?.exitCode ?? null,
    backgroundPid: goneWith === undefined ? (last?.backgroundPid ?? null) : null,
  };
}

function directoryOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}
