import { isAbsolute, resolve } from 'node:path';
import type { FileHost } from './file-host.ts';

export interface FileContext {
  host: FileHost;
  /** The shell's directory: relative paths start there. */
  cwd: string;
  /** Where the editor looks for what a relative path may have meant; `cwd` when absent. */
  workspaceRoot?: string;
}

export async function absolutePath(path: string, { host, cwd }: FileContext): Promise<string> {
  if (isAbsolute(path)) return path;
  return (await host.resolve?.(path, cwd)) ?? resolve(cwd, path);
}
