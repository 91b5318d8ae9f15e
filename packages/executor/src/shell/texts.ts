/** The contract's texts around a command's output. Agents are prompted with them: change nothing. */

/** The contract's 10,000 lines of history, and the screen below them. */
export const maxLines = 10_050;
const maxCharacters = 30_000;

export const truncationNotice = '\n[... Observation truncated due to length ...]\n';

const whatNext =
  `You may wait longer to see additional output by sending empty command '', send other commands to interact ` +
  `with the current process, send keys ("C-c", "C-z", "C-d") to interrupt/kill the previous command before ` +
  `sending your new command, or use the timeout parameter in execute_bash for future commands.`;

export const texts = {
  nothingToRetrieve: 'ERROR: No previous running command to retrieve logs from.',
  nothingToInteractWith: 'ERROR: No previous running command to interact with.',
  belowIsPrevious: '[Below is the output of the previous command.]\n',

  severalCommands: (commands: string[]) =>
    `ERROR: Cannot execute multiple commands at once.\nPlease run each command separately OR chain them into a ` +
    `single command via && or ;\nProvided commands:\n` +
    commands.map((command, index) => `(${index + 1}) ${command}`).join('\n'),

  completed: (exitCode: number, key?: string) =>
    `\n[The command completed with exit code ${exitCode}.${key ? ` CTRL+${key.toUpperCase()} was sent.` : ''}]`,

  noNewOutput: (seconds: number) =>
    `\n[The command has no new output after ${Math.trunc(seconds)} seconds. ${whatNext}]`,

  timedOut: (seconds: number) =>
    `\n[The command timed out after ${pythonFloat(seconds)} seconds. ${whatNext}]`,

  notExecuted: (command: string) =>
    `\n[Your command "${command}" is NOT executed. The previous command is still running - You CANNOT send new ` +
    'commands until the previous command is completed. By setting `is_input` to `true`, you can interact with ' +
    `the current process: ${whatNext}]`,

  lastLines: (count: number) =>
    `[Previous command outputs are truncated. Showing the last ${count} lines of the output below.]\n`,

  // From here on the contract has no text, because the reference cannot do what is told here.

  previousFinished: (exitCode: number, output: string) =>
    `[The previous command has completed with exit code ${exitCode}. The rest of its output:]\n${output}\n` +
    `[Below is the output of your command.]\n`,

  backgroundOutput: (output: string) =>
    `[Output of background jobs since the last command:]\n${output}\n[Below is the output of your command.]\n`,

  shellEnded: (directory: string) =>
    `\n[The shell ended with this command and a new one took its place in ${directory}. Exported variables were ` +
    `kept; functions, aliases, shell options and other variables are gone.]`,

  unknownEnd:
    '\n[The terminal was lost while the command ran: whether it completed, and its exit code, are unknown.]',

  cancelled: '\n[The command was cancelled.]',

  inputNotSent: '\n[The command had already completed: your input was not sent.]',

  nulByte:
    'ERROR: The command contains a NUL character, which no shell can take. Remove it and send it again.',

  neverStarted: (command: string, why: keyof typeof notStarted) =>
    `\n[Your command "${command}" is NOT executed. ${notStarted[why]}]`,
};

const notStarted = {
  cancelled: 'It was cancelled before it could start.',
  waited: 'Others were in front of it for longer than its timeout.',
  starting: 'The shell took longer to start than its timeout; send it again.',
  lost: 'The shell ended before it could start; send it again.',
};

/** A float as Python prints it: `1.0`, `2.5`. */
function pythonFloat(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** Cuts what a model would be shown: the beginning and the end, in whole characters as the contract counts. */
export function cutToSize(content: string): string {
  if (content.length <= maxCharacters) return content;
  let headEnd = 0;
  let tailStart = content.length;
  for (let count = 0; count < maxCharacters / 2; count += 1) {
    headEnd += isPairAt(content, headEnd) ? 2 : 1;
    tailStart -= isPairAt(content, tailStart - 2) ? 2 : 1;
  }
  if (headEnd >= tailStart) return content;
  return content.slice(0, headEnd) + truncationNotice + content.slice(tailStart);
}

function isPairAt(text: string, index: number): boolean {
  return (text.codePointAt(index) ?? 0) > 0xffff;
}
