import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { isListening } from './editor-probe.ts';

/** One editor from its start to its end. */
export interface EditorLife {
  /** How it ended, when it has. */
  readonly gone: Promise<string>;
  /** Asks it to end; it may do so or not. */
  askToEnd(): void;
}

const errorLimit = 4_096;
const logTimeoutMs = 300;

/** Starts one that ends neither with this process nor by a Ctrl-C at its terminal. */
export function startLife(options: {
  command: string[];
  cwd: string;
  env: Record<string, string>;
  input: string;
}): EditorLife {
  const [file = '', ...args] = options.command;
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  });
  // It may end before it has read anything.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input);
  return { gone: endOf(child), askToEnd: () => void child.kill('SIGTERM') };
}

/**
 * Until the editor has a log of its own, what goes wrong is told on its error output. What writes the log has that open
 * too: once it is closed, the log is complete.
 */
function endOf(child: ChildProcess): Promise<string> {
  let told = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (told.length < errorLimit) told += text;
  });
  return new Promise((resolve) => {
    const end = (how: string) => resolve(told === '' ? how : `${how}: ${told.trim()}`);
    child.on('error', (error) => end(`could not be started: ${error.message}`));
    child.on('exit', (code, signal) => {
      const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
      child.on('close', () => end(how));
      // Something that was started in the editor may hold it open for as long as it likes.
      setTimeout(() => end(how), logTimeoutMs);
    });
  });
}

const betweenLooksMs = 1_000;

/** Follows one that an earlier server has started; only its socket is known. */
export function adoptLife(socket: string): EditorLife {
  const watching = new AbortController();
  return { gone: watch(), askToEnd: () => watching.abort() };

  async function watch(): Promise<string> {
    while (!watching.signal.aborted && (await isListening(socket))) {
      await delay(betweenLooksMs, undefined, { signal: watching.signal, ref: false }).catch(() => undefined);
    }
    return 'ended';
  }
}
