import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { PtyTerminalFactory } from './pty-terminal.ts';
import type { TerminalFactory } from './terminal.ts';
import { TmuxTerminalFactory } from './tmux/tmux-terminal.ts';

/** tmux where it is installed, because its shells outlive a crash of the server; else a plain pty. */
export function chooseTerminals(
  wanted: 'tmux' | 'pty' | 'auto',
  sessionDir: string,
  env: Record<string, string>,
): TerminalFactory {
  if (wanted === 'pty') return new PtyTerminalFactory();
  if (hasTmux(env)) return new TmuxTerminalFactory(sessionDir, env);
  if (wanted === 'auto') return new PtyTerminalFactory();
  throw new Error('tmux is not installed: install it (`apt install tmux`) or choose the pty terminal');
}

function hasTmux(env: Record<string, string>): boolean {
  const directories = (env['PATH'] ?? '').split(delimiter).filter((directory) => directory !== '');
  return directories.some((directory) => isExecutable(join(directory, 'tmux')));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
