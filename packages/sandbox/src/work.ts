import { setTimeout as delay } from 'node:timers/promises';
import type { Executor } from '@fairlead/executor';
import { Actions } from './actions.ts';
import { EventStream } from './journal/event-stream.ts';
import { Journal } from './journal/journal.ts';
import type { SandboxFiles } from './files.ts';
import type { Sandbox } from './sandbox.ts';
import { TerminalViewers } from './terminal-viewers.ts';

const endTimeoutMs = 5_000;

export interface WorkOptions {
  executor: Executor;
  workspace: string;
  sessionDir: string;
  files: SandboxFiles;
  /** Bytes of live output kept for watchers. */
  outputLimitBytes?: number;
  log(line: string): void;
}

/** What the server of a session stands on, however it is reached. */
export interface Work {
  readonly sandbox: Sandbox;
  /** Ends every process of the session, and what else the server has started. */
  end(others?: Promise<void>): Promise<void>;
  /** Last of all: nothing is recorded after it. */
  close(): void;
}

export function openWork(options: WorkOptions): Work {
  const { executor, workspace, files, log } = options;
  const journal = new Journal(options.sessionDir);
  const events = new EventStream(journal, executor.shells, options.outputLimitBytes);
  const actions = new Actions(executor, journal, events, log);
  const viewers = new TerminalViewers();
  return {
    sandbox: { executor, workspace, files, actions, events, viewers, log },
    async end(others) {
      // A tmux that somebody has stopped must not keep the server from ending.
      await Promise.race([
        Promise.all([executor.close(), others]),
        delay(endTimeoutMs, undefined, { ref: false }),
      ]);
    },
    close() {
      events.close();
      journal.close();
    },
  };
}
