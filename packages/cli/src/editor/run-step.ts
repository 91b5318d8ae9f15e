import { spawn } from 'node:child_process';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';

export interface Step {
  /** What is being done, for the user. */
  name: string;
  command: string[];
  cwd: string;
  onProgress(line: string): void;
  signal: AbortSignal | undefined;
}

const keptCharacters = 64 * 1024;
const shownLines = 20;

/** Runs one command of the installation and all it starts; ends all of it when the signal comes. */
export async function runStep({ name, command, cwd, onProgress, signal }: Step): Promise<void> {
  if (signal?.aborted) throw cancelled();
  onProgress(name);
  const startedAtMs = performance.now();
  const { status, output } = await run(command, cwd, signal);
  if (signal?.aborted) throw cancelled();
  if (status !== 0) throw failed(name, status, output);
  onProgress(`  done in ${Math.round((performance.now() - startedAtMs) / 1000)} s`);
}

function run(
  [file = '', ...args]: string[],
  cwd: string,
  signal: AbortSignal | undefined,
): Promise<{ status: number | string; output: string }> {
  return new Promise((resolve) => {
    // npm lives on after a signal and has children: a group of their own can be ended as a whole.
    const child = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const end = () => child.pid !== undefined && endGroup(child.pid);
    signal?.addEventListener('abort', end, { once: true });
    process.once('exit', end);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = `${output}${text}`.slice(-keptCharacters);
      });
    }
    child.on('error', (error) => (output += error.message));
    child.on('close', (code, endSignal) => {
      signal?.removeEventListener('abort', end);
      process.off('exit', end);
      resolve({ status: code ?? endSignal ?? 'unknown', output });
    });
  });
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

function cancelled(): CliError {
  const message = 'The editor was not installed: it was cancelled. What was begun is removed.';
  return new CliError(message, 'cancelled', exitCodes.interrupted);
}

function failed(name: string, status: number | string, output: string): CliError {
  return new CliError(
    `The editor was not installed: "${name}" failed (${status}):\n${endOf(output)}\n` +
      'Check the network and the disk, and run it again; what was begun is removed.',
    'editor-install-failed',
  );
}

/** The last lines, without what npm says about itself. */
function endOf(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !/^npm (warn|notice)/.test(line));
  return lines
    .slice(-shownLines)
    .map((line) => `  ${line.slice(0, 300)}`)
    .join('\n');
}
