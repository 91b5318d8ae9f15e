import { clipped } from './python-text.ts';

const maximumCharacters = 16_000;

const clippedStart = '<response clipped><NOTE>Due to the max output limit, only part of this';

const clippedFile = `${clippedStart} file has been shown to you. You should retry this tool after you have searched inside the file with \`grep -n\` in order to find the line numbers of what you are looking for.</NOTE>`;
export const clippedDirectory = `${clippedStart} directory has been shown to you. You should use \`ls -la\` instead to view large directories incrementally.</NOTE>`;

/** A text as `cat -n` shows it, clipped before it is numbered. */
export function numberedLines(text: string, description: string, firstLine = 1): string {
  const numbered = clip(text, clippedFile)
    .split('\n')
    .map((line, index) => `${String(index + firstLine).padStart(6)}\t${line}`);
  return `Here's the result of running \`cat -n\` on ${description}:\n${numbered.join('\n')}\n`;
}

export function clip(text: string, notice: string): string {
  const start = clipped(text, maximumCharacters);
  return start === undefined ? text : start + notice;
}
