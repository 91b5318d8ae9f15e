import { CommandOutput } from './command-output.ts';
import { CommandRun, endOf } from './command-run.ts';
import { commandMark } from './init-script.ts';
import type { LeftShell } from './left-shell.ts';
import { renderText } from './render/render-text.ts';
import type { TerminalSize } from './terminal.ts';

/** The command that a shell was at when it was left, with what it has printed so far. */
export function recoverRun(
  { command, state, exitCode, backgroundPid }: LeftShell,
  { shown, secret, prompt }: { shown: string; secret: string; prompt: string },
  { size, directory }: { size: TerminalSize; directory: string },
): CommandRun | undefined {
  if (command === undefined) return undefined;
  const run = new CommandRun(command, new CommandOutput(size));
  run.append(recoverOutput(shown, secret, run.n, state === 'running' ? undefined : prompt));
  const isGone = state === 'gone';
  const how = { backgroundPid, shellEnded: isGone, saysExit: isGone };
  if (state !== 'running') run.finish(endOf(directory, exitCode, how));
  return run;
}

/**
 * What command `n` has printed, cut from the text that its terminal shows. `prompt`: what the shell shows behind
 * it, if the command has ended.
 */
function recoverOutput(shown: string, secret: string, n: number, prompt: string | undefined): Buffer {
  const mark = commandMark(secret, n);
  const at = shown.lastIndexOf(mark);
  // Without its mark the screen was cleared meanwhile, or the output is longer than what is kept.
  const from = at === -1 ? 0 : shown.indexOf('\n', at + mark.length) + 1;
  let output = at !== -1 && from === 0 ? '' : shown.slice(from);
  if (prompt !== undefined) output = withoutPrompt(output, prompt);
  return Buffer.from(output);
}

function withoutPrompt(output: string, prompt: string): string {
  // The marks around what is not printed mean something to the line editor only.
  const visible = renderText(Buffer.from(prompt.replaceAll(/[\x01\x02]/g, ''))) ?? prompt;
  for (const end of [visible, visible.trimEnd()])
    if (output.endsWith(end)) return output.slice(0, output.length - end.length);
  return output;
}
