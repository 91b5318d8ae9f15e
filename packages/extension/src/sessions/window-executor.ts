import type { ActionContext, Executor } from '@fairlead/executor';
import type { Action, ActionOf, Observation } from '@fairlead/protocol';
import { errorObservation, runObservation } from '@fairlead/protocol/answers';
import type { Activity } from '../activity/activity.ts';
import { type Consent, type Refused, refusalText } from '../consent/consent.ts';
import { type ActionScope, inAction } from './action-scope.ts';
import type { Agent } from './agent.ts';
import { ViewedShells } from './viewed-shells.ts';
import type { WaitingActions } from './waiting-actions.ts';

export interface WindowExecutorParts {
  agent: Agent;
  /** Does what was allowed: shells, and files by way of VS Code. */
  inner: Executor;
  consent: Consent;
  activity: Activity;
  waiting: WaitingActions;
  /** What came with the session for its shells, and the user has to know of. */
  variables: Record<string, string>;
  answerEditorRequest(action: ActionOf<'vscode'>, scope: ActionScope): Promise<Observation>;
}

interface Running {
  action: Action;
  shown: ReturnType<Activity['begin']>;
  answer(observation: Observation): void;
}

/** The contract's clients always set one; whoever does not still gets an answer. */
const defaultTimeoutSeconds = 120;
/** What consumes no more than this of the agent's time is not counted. */
const unnoticedMs = 250;
/** After its deadline an action that is still at work in VS Code has this long to answer itself. */
const lateMs = 2_000;

/** One agent's executor in this window: shows every action to the user, and asks where the user wants to be asked. */
export class WindowExecutor implements Executor {
  readonly #parts: WindowExecutorParts;
  /** For the server, which whoever has the session's key can reach. */
  readonly shells: ViewedShells;
  /** By action, how to answer it before it is done. */
  readonly #running = new Map<string, Running>();
  #isSuspending = false;
  #variablesAreKnown: boolean;

  constructor(parts: WindowExecutorParts) {
    this.#parts = parts;
    this.#variablesAreKnown = Object.keys(parts.variables).length === 0;
    this.shells = new ViewedShells(parts.inner.shells);
  }

  async execute(action: Action, { actionId, signal }: ActionContext): Promise<Observation> {
    const { agent, activity } = this.#parts;
    const startedMs = performance.now();
    const timeoutMs = (action.timeout ?? defaultTimeoutSeconds) * 1000;
    const abort = this.#abortOf(actionId, signal);
    const scope = { agent, actionId, action, deadlineMs: startedMs + timeoutMs, signal: abort };
    const shown = activity.begin(scope);
    const cut = new Promise<Observation>((answer) => this.#running.set(actionId, { action, shown, answer }));
    const done = inAction(scope, () => this.#answerInTime(scope, startedMs)).catch((error: Error) =>
      refusal(action, `ERROR: The window could not do this: ${error.message}`),
    );
    const observation = await Promise.race([done, cut]);
    if (this.#running.delete(actionId)) shown.end(observation);
    return observation;
  }

  resume(
    actionId: string,
    context: ActionContext,
    timeoutSeconds?: number,
  ): Promise<Observation> | undefined {
    const { waiting, inner } = this.#parts;
    const waited = waiting.recall(actionId);
    return waited === undefined
      ? inner.resume(actionId, context, timeoutSeconds)
      : this.execute(waited, context);
  }

  close(): Promise<void> {
    return this.#parts.inner.close();
  }

  /**
   * The window is about to be reloaded, in a moment that may be short: what runs is answered now. What waits for the user is
   * neither done nor cancelled, but asked again after.
   */
  suspend(): void {
    this.#isSuspending = true;
    for (const [actionId, { action, shown, answer }] of this.#running) {
      if (!this.#parts.waiting.has(actionId)) {
        answer(refusal(action, endedWithWindow));
        continue;
      }
      this.#running.delete(actionId);
      shown.end(refusal(action, askedAgain));
    }
  }

  #abortOf(actionId: string, signal: AbortSignal | undefined): AbortSignal {
    const abort = new AbortController();
    const onAbort = () => {
      if (!this.#isSuspending || !this.#parts.waiting.has(actionId)) abort.abort();
    };
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    return abort.signal;
  }

  /** Shells keep their own time; the editor may hang with a file system far away. */
  async #answerInTime(scope: ActionScope, startedMs: number): Promise<Observation> {
    const { action, deadlineMs } = scope;
    if (action.action === 'run') return this.#run(action, scope, startedMs);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Observation>((resolve) => {
      const seconds = Math.round((deadlineMs - startedMs) / 1000);
      const text = `ERROR: The action did not end within its ${seconds} s. It may still take effect; look before you repeat it.`;
      timer = setTimeout(() => resolve(refusal(action, text)), deadlineMs - startedMs + lateMs);
    });
    try {
      return await Promise.race([this.#do(action, scope), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #do(action: Exclude<Action, { action: 'run' }>, scope: ActionScope): Promise<Observation> {
    const { inner, answerEditorRequest } = this.#parts;
    if (action.action === 'vscode') return answerEditorRequest(action, scope);
    return inner.execute(action, scope);
  }

  async #run(action: ActionOf<'run'>, scope: ActionScope, startedMs: number): Promise<Observation> {
    const { inner, consent } = this.#parts;
    if (isHarmless(action) && inner.shells.names().includes(action.shell))
      return inner.execute(action, scope);
    const refused = await this.#refusedVariables(scope);
    if (refused !== undefined) return refusal(action, refusalText(refused));
    const { command, is_input: isInput, is_static: isStatic, cwd } = action.args;
    const answer = await consent.run(scope, {
      command,
      shell: action.shell,
      isInput,
      cwd: isStatic ? (cwd ?? undefined) : undefined,
    });
    if (answer.kind !== 'allowed') return refusal(action, refusalText(answer));
    const args = { ...action.args, command: answer.command };
    const waitedMs = performance.now() - startedMs;
    const observation = await inner.execute({ ...action, args, ...timeLeft(action, waitedMs) }, scope);
    return answer.isChanged ? sayChanged(observation, answer.command) : observation;
  }

  /** Asked once, before the first command: variables can make a command do something else than it says. */
  async #refusedVariables(scope: ActionScope): Promise<Refused | undefined> {
    if (this.#variablesAreKnown) return undefined;
    const variables = Object.entries(this.#parts.variables);
    const names = variables.map(([name]) => name).join(', ');
    const answer = await this.#parts.consent.ask(scope, {
      capability: 'run',
      title: `set variables for its commands: ${names}`,
      detail: variables.map(([name, value]) => `${name}=${value}`).join('\n'),
      isPreliminary: true,
    });
    if (answer.kind !== 'allowed') return answer;
    this.#variablesAreKnown = true;
    return undefined;
  }
}

const endedWithWindow =
  'ERROR: The VS Code window was closed or loaded anew while this ran, and it was ended. It was not run again; look at ' +
  'its effects before you repeat it.';

/** For the user alone, in the window that the session has left. */
const askedAgain = 'Not done here: it is asked again when the session is back, in this window or another.';

/**
 * Asks what a command has printed since, or stops it: nothing that the user would want to be asked about, in a shell that
 * is open. To open one is.
 */
function isHarmless({ args }: ActionOf<'run'>): boolean {
  if (args.is_static) return false;
  const command = args.command.trim();
  return command === '' || (args.is_input && /^C-[cdz\\]$/i.test(command));
}

/** The time that the user took to answer is the agent's own. */
function timeLeft({ timeout }: ActionOf<'run'>, waitedMs: number): { timeout?: number } {
  if (waitedMs < unnoticedMs) return {};
  const seconds = (timeout ?? defaultTimeoutSeconds) - waitedMs / 1000;
  return { timeout: Math.max(0.1, Math.round(seconds * 10) / 10) };
}

function sayChanged(observation: Observation, command: string): Observation {
  const content = `[The user changed the command before it ran. What ran: ${command}]\n${observation.content}`;
  return { ...observation, content };
}

/** Stock clients can decode nothing but `run` for a hidden command. */
function refusal(action: Action, text: string): Observation {
  if (action.action === 'run' && action.args.hidden)
    return runObservation(action.args.command, text, {}, true);
  return errorObservation(text);
}
