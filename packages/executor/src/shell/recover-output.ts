import { renderText } from './render/render-text.ts';
import { commandMark } from './init-script.ts';

/**
 * What command `n` has printed, cut from the text that its terminal shows. `prompt`: what the shell shows behind
 * it, if the command has ended.
 */
export function recoverOutput(shown: string, secret: string, n: number, prompt: string | undefined): Buffer {
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
