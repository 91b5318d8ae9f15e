import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
export const pythonSource = `${root}python/src`;

export interface Ended {
  code: number | null;
  out: string;
  errors: string;
}

/** A program as a window would start it: with the run's variables and, for Python, our package. */
export async function runProgram(
  command: string,
  args: string[],
  env: Record<string, string>,
): Promise<Ended> {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...withoutBridge(), PYTHONPATH: pythonSource, PYTHONDONTWRITEBYTECODE: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended: Ended = { code: null, out: '', errors: '' };
  child.stdout.on('data', (text) => (ended.out += String(text)));
  child.stderr.on('data', (text) => (ended.errors += String(text)));
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
  [ended.code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return ended;
}

function withoutBridge(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.includes('_RUN_BRIDGE_')));
}
