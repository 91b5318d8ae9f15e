import type { Expectation } from './case.ts';

/** The contract's texts, written down a second time: the product's own must not vouch for themselves. */
const whatNext =
  'You may wait longer to see additional output by sending empty command \'\', send other commands to interact with the current process, send keys ("C-c", "C-z", "C-d") to interrupt/kill the previous command before sending your new command, or use the timeout parameter in execute_bash for future commands.';

export const belowIsPrevious = '[Below is the output of the previous command.]\n';
export const truncated = '\n[... Observation truncated due to length ...]\n';
export const nothingToRetrieve = 'ERROR: No previous running command to retrieve logs from.';
export const nothingToInteractWith = 'ERROR: No previous running command to interact with.';

export function completed(exitCode: number): string {
  return `\n[The command completed with exit code ${exitCode}.]`;
}

export function completedByKey(exitCode: number, key: string): string {
  return `\n[The command completed with exit code ${exitCode}. CTRL+${key} was sent.]`;
}

export function timedOut(seconds: string): string {
  return `\n[The command timed out after ${seconds} seconds. ${whatNext}]`;
}

export function noNewOutput(seconds: number): string {
  return `\n[The command has no new output after ${seconds} seconds. ${whatNext}]`;
}

export function notExecuted(command: string): string {
  return (
    `\n[Your command "${command}" is NOT executed. The previous command is still running - You CANNOT send new commands until the previous command is completed. ` +
    'By setting `is_input` to `true`, you can interact with the current process: ' +
    `${whatNext}]`
  );
}

export function severalCommands(...commands: string[]): string {
  const list = commands.map((command, index) => `(${index + 1}) ${command}`).join('\n');
  return `ERROR: Cannot execute multiple commands at once.\nPlease run each command separately OR chain them into a single command via && or ;\nProvided commands:\n${list}`;
}

/** What a command is told that ended its shell; a new one is in `directory`. */
export function shellEnded(exitCode: number, directory: string): RegExp {
  const place = directory.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(
    `^\\n\\[The command completed with exit code ${exitCode}\\.\\]\\n\\[The shell ended with this command and a new one took its place in ${place}\\. Exported`,
  );
}

/** Not counted on: the kernel may throw it away with what it flushes for the key, or come too late with it. */
export const echoOfCtrlC = /^(\^C)*$/;

/** What `C-x` as input ends a command with. */
export function keyEnds(key: string, exitCode: number, content: string | RegExp): Expectation {
  return { content, exitCode, suffix: completedByKey(exitCode, key) };
}

/** No end yet when `timeout` (as Python writes it) was over. */
export function stillRuns(seconds: string, content: string | RegExp, prefix = ''): Expectation {
  return { content, exitCode: -1, prefix, suffix: timedOut(seconds) };
}
