import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A Node program in a process of its own that says on its standard output how far it is. */
export class NodeProcess {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #ended: Promise<unknown>;
  #said = '';
  #complaints = '';
  #onNews: () => void = () => undefined;

  constructor(args: string[], environment: NodeJS.ProcessEnv) {
    this.#name = args.join(' ');
    this.#child = spawn(process.execPath, args, { env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
    running.add(this);
    this.#child.stdout!.on('data', (text) => {
      this.#said += String(text);
      this.#onNews();
    });
    this.#child.stderr!.on(
      'data',
      (text) => (this.#complaints = (this.#complaints + String(text)).slice(-2000)),
    );
    this.#ended = once(this.#child, 'close').finally(() => {
      running.delete(this);
      this.#onNews();
    });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Waits for the program to say this, and returns what the pattern's group holds. */
  async says(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.#said);
      if (found !== null) {
        this.#said = this.#said.slice(found.index + found[0].length);
        return found[1] ?? '';
      }
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) {
        throw new Error(`node ${this.#name} ended before it said ${pattern}: ${this.#complaints.trim()}`);
      }
      await new Promise<void>((resolve) => (this.#onNews = resolve));
    }
  }

  /** Rejects when the program ends. */
  async failed(): Promise<never> {
    await this.#ended;
    throw new Error(`node ${this.#name} ended: ${this.#complaints.trim()}`);
  }

  tell(line: string): void {
    this.#child.stdin!.write(`${line}\n`);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#ended;
  }
}

const running = new Set<NodeProcess>();

// A server that is ended while its directory is deleted under it leaves its tmux behind.
async function stopAll(): Promise<void> {
  await Promise.all([...running].map((child) => child.stop()));
  process.exit(1);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void stopAll());
