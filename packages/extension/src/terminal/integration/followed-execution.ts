import { setTimeout as delay } from 'node:timers/promises';
import type { EditorExecution } from './editor-terminal.ts';
import { ExecutionOutput } from './execution-output.ts';

/** How long VS Code may take to hand out the rest of the output when a command has ended … */
const outputLimitMs = 3_000;
/** … and to tell that it has ended when there are other signs of it. */
const endLimitMs = 3_000;

export interface ExecutionEnd {
  /** Undefined where nobody told it. */
  exitCode: number | undefined;
  /** Whether all that it printed has come for certain. */
  isWhole: boolean;
}

/** A command that VS Code tells of: its output as it comes, and its end by whichever sign of it comes first. */
export class FollowedExecution {
  readonly #output = new ExecutionOutput();
  readonly #end = Promise.withResolvers<number | undefined>();
  readonly #reported = Promise.withResolvers<void>();
  readonly #reading: Promise<void>;

  /** `onReport`: the command has reported its end, and waits to be told that this was heard. */
  constructor(execution: EditorExecution, onOutput: (bytes: Buffer) => void, onReport: () => void) {
    void this.#reported.promise.then(onReport);
    // Now: what was not asked for in the event of the start is lost.
    this.#reading = this.#read(execution.read(), onOutput);
  }

  onEnd(exitCode: number | undefined): void {
    this.#end.resolve(exitCode);
  }

  /** Resolves when the command has ended and its output has come. */
  async ended(): Promise<ExecutionEnd> {
    await Promise.race([this.#end.promise, this.#reading, this.#reported.promise]);
    const told = await Promise.race([this.#end.promise, pause(endLimitMs)]);
    await this.drained();
    const { exitCode } = this.#output;
    return { exitCode: exitCode ?? told, isWhole: exitCode !== undefined };
  }

  async drained(): Promise<void> {
    await Promise.race([this.#reading, pause(outputLimitMs)]);
  }

  async #read(data: AsyncIterable<string>, onOutput: (bytes: Buffer) => void): Promise<void> {
    for await (const part of data) {
      const bytes = Buffer.from(this.#output.feed(part));
      if (bytes.length > 0) onOutput(bytes);
      if (this.#output.exitCode !== undefined) this.#reported.resolve();
    }
  }
}

function pause(timeoutMs: number): Promise<undefined> {
  return delay(timeoutMs, undefined, { ref: false });
}
