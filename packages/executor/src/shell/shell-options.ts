import type { CommandRun } from './command-run.ts';
import type { ShellDirectory } from './shell-directory.ts';
import type { TerminalFactory, TerminalSize } from './terminal.ts';

export interface ShellOptions {
  name: string;
  directory: ShellDirectory;
  factory: TerminalFactory;
  size: TerminalSize;
  /** Where the first shell starts; later ones go on where the last one was. */
  cwd: string;
  /** The script that starts the shell, and the environment it gets. */
  launchFile: string;
  env: Record<string, string>;
  onOutput(bytes: Buffer, run: CommandRun | undefined): void;
}
