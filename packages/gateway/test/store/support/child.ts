import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const program = fileURLToPath(new URL('child-main.ts', import.meta.url));

export interface Child {
  process: ChildProcess;
  /** What it has printed so far, by lines. */
  lines: string[];
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>;
  /** Resolves when so many lines are there. */
  printed(count: number): Promise<void>;
}

/** A second process that works on a database; its ways are in `child-main.ts`. */
export function startChild(work: string, path: string, ...args: string[]): Child {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', program, work, path, ...args],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const lines: string[] = [];
  let stderr = '';
  let onChange = () => undefined as void;
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    onChange();
  });
  child.stderr.on('data', (text) => (stderr += String(text)));
  let isEnded = false;
  const ended = new Promise<Awaited<Child['ended']>>((resolve) => {
    child.on('close', (code, signal) => {
      isEnded = true;
      onChange();
      resolve({ code, signal, stderr });
    });
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    process: child,
    lines,
    ended,
    async printed(count) {
      while (lines.length < count) {
        if (isEnded) throw new Error(`the process ended after ${lines.length} lines: ${stderr}`);
        await new Promise<void>((resolve) => (onChange = resolve));
      }
    },
  };
}
