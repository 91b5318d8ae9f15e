import { createRequire } from 'node:module';

interface Pty {
  write(data: string): void;
  onData(listener: (data: Buffer) => void): void;
  onExit(listener: () => void): void;
  kill(signal: string): void;
}

interface PtyLibrary {
  spawn(file: string, args: string[], options: { cols: number; rows: number; encoding: null }): Pty;
}

/** The very library that the executor stands on, so that a floor differs by nothing else. */
const requireAsExecutor = createRequire(new URL('../../packages/executor/package.json', import.meta.url));
const library = requireAsExecutor('@lydell/node-pty') as PtyLibrary;

export function openPty(file: string, args: string[]): Pty {
  return library.spawn(file, args, { cols: 200, rows: 50, encoding: null });
}
