import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { PtyTerminalFactory } from './pty-terminal.ts';
import type { TerminalFactory } from './terminal.ts';
import { TmuxTerminalFactory } from './tmux/tmux-terminal.ts';

/** A socket's path has 107 bytes at most. */
const longestSessionDir = 100;

/** tmux where it is installed, because its shells outlive a crash of the server; else a plain pty. */
export function chooseTerminals(
  wanted: 'tmux' | 'pty' | 'auto',
  sessionDir: string,
  env: Record<string, string>,
): TerminalFactory {
  if (!isInstalled('bash', env)) throw new Error('bash is not installed: install it (`apt install bash`)');
  if (wanted === 'pty') return new PtyTerminalFactory();
  const isReachable = Buffer.byteLength(sessionDir) <= longestSessionDir;
  if (isReachable && isInstalled('tmux', env)) return new TmuxTerminalFactory(sessionDir, env);
  if (wanted === 'auto') return new PtyTerminalFactory();
  if (!isReachable)
    throw new Error(
      `the session directory ${sessionDir} is too long for tmux's socket: choose a shorter one`,
    );
  throw new Error('tmux is not installed: install it (`apt install tmux`) or choose the pty terminal');
}

function isInstalled(program: string, env: Record<string, string>): boolean {
  const directories = (env['PATH'] ?? '').split(delimiter).filter((directory) => directory !== '');
  return directories.some((directory) => isExecutable(join(directory, program)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
