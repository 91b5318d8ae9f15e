import type { Observation } from '@fairlead/protocol';
import { type ActionEvent, cancelAction, newActionId, sendAction } from './actions.ts';
import type { Connection } from './http.ts';
import { LiveOutput } from './live-output.ts';
import { type RunResult, runResult } from './run-result.ts';

export interface RunOptions {
  /** Which of the session's shells; `main` when absent. */
  shell?: string | undefined;
  /** Answers then with what there is, and the command goes on; the sandbox's 120 s when absent. */
  timeoutSeconds?: number | undefined;
  /** The command is input for what is running in the shell, for example `C-c`. */
  isInput?: boolean | undefined;
  /** Live terminal output, colours and all, in order, before the result; the next piece waits for the promise. */
  onOutput?: ((data: string) => void | Promise<void>) | undefined;
  /** Ends the command: Ctrl-C first, then by force. The result then says `cancelled`. */
  signal?: AbortSignal | undefined;
  /** Chosen by a caller who may have to ask again for the same command's result; otherwise a new one. */
  actionId?: string | undefined;
}

export async function runCommand(
  connection: Connection,
  session: string,
  command: string,
  options: RunOptions = {},
): Promise<RunResult> {
  const { signal, actionId = newActionId(), onOutput } = options;
  signal?.throwIfAborted();
  const over = new AbortController();
  const cancel = () => {
    // If the gateway cannot be reached, the request for the answer says so.
    cancelAction(connection, session, actionId, over.signal).catch(() => undefined);
  };
  const live = onOutput && (await LiveOutput.open(connection, session, actionId));
  try {
    signal?.throwIfAborted();
    signal?.addEventListener('abort', cancel);
    const event = eventOf(command, options);
    const answer = sendAction(connection, session, event, { actionId, signal: over.signal });
    const { observation, isOutputComplete } =
      live === undefined || onOutput === undefined
        ? { observation: await answer, isOutputComplete: true }
        : await withOutput(answer, live, onOutput);
    return runResult(actionId, observation, { isCancelled: signal?.aborted ?? false, isOutputComplete });
  } finally {
    signal?.removeEventListener('abort', cancel);
    live?.close();
    over.abort();
  }
}

function eventOf(command: string, { shell, timeoutSeconds, isInput = false }: RunOptions): ActionEvent {
  return {
    action: 'run',
    args: { command, ...(isInput ? { is_input: true } : { blocking: true }) },
    ...(timeoutSeconds !== undefined && { timeout: timeoutSeconds }),
    ...(shell !== undefined && { shell }),
  };
}

/** The observation comes on both ways; on the watch all output stands before it. */
async function withOutput(
  answer: Promise<Observation>,
  live: LiveOutput,
  onOutput: (data: string) => void | Promise<void>,
): Promise<{ observation: Observation; isOutputComplete: boolean }> {
  const following = live.follow(onOutput);
  const answered = answer.then(() => live.answered());
  // Only the first of them to fail is told.
  for (const promise of [following, answered]) promise.catch(() => undefined);
  const followed = (await Promise.race([following, answered])) ?? (await following);
  return { observation: followed.observation ?? (await answer), isOutputComplete: followed.isComplete };
}
