import type { Duplex } from 'node:stream';
import type { Executor } from '@fairlead/executor';
import type { OpenSession } from '@fairlead/protocol';
import { type SandboxFiles, serveConnections, workRoutes } from '@fairlead/sandbox/server';
import type { Agent } from './agent.ts';
import { variablesToShow } from '../terminal/session-variables.ts';
import { claimSessionDirectory } from './session-directory.ts';
import type { WaitingActions } from './waiting-actions.ts';
import { WindowExecutor, type WindowExecutorParts } from './window-executor.ts';

/** Seconds without new output after which a command answers with what there is, as in a sandbox. */
const defaultNoChangeSeconds = 10;

export interface AgentSessionParts extends Pick<
  WindowExecutorParts,
  'consent' | 'activity' | 'answerEditorRequest'
> {
  /** Where each session has a directory. */
  sessionsDirectory: string;
  waitingOf(sessionId: string): WaitingActions;
  /** Where the agent's shells begin and relative paths start: the folder of that path, or the first one. */
  folderOf(wanted: string | null): string;
  openExecutor(place: {
    agent: Agent;
    workspace: string;
    sessionDir: string;
    noChangeTimeoutSeconds: number;
    env: Record<string, string>;
  }): Promise<Executor>;
  /** Nothing of them waits for the user, or is written, after `closed`. */
  filesOf(agent: Agent, folder: string, closed: AbortSignal): SandboxFiles;
  /** Tells the agent what the user changes; returns how to stop. */
  watchChanges(agent: Agent): { dispose(): void };
  /** Takes away what the session asks the user, without an answer. */
  withdraw(sessionId: string): void;
  log(line: string): void;
}

/** One agent at work in this window: its executor, and the sandbox server by which the gateway reaches it. */
export interface AgentSession {
  readonly agent: Agent;
  /** Where it began. */
  readonly folder: string;
  accept(stream: Duplex): void;
  /** Before a close that is not the end: what waits for the user is asked again after it, and cannot be allowed any more. */
  suspend(): void;
  /** Cancels what runs, answers it within the time, and ends every process of the session. */
  close(drainTimeoutMs: number): Promise<void>;
}

export async function openAgentSession(
  { sessionId, agent: name, owner, folder, env }: OpenSession,
  parts: AgentSessionParts,
): Promise<AgentSession> {
  const agent: Agent = { sessionId, name, owner };
  const workspace = parts.folderOf(folder);
  const directory = await claimSessionDirectory(parts.sessionsDirectory, sessionId);
  const sessionDir = directory.path;
  const waiting = parts.waitingOf(sessionId);
  const noChangeTimeoutSeconds = Number(env['NO_CHANGE_TIMEOUT_SECONDS']) || defaultNoChangeSeconds;
  const closed = new AbortController();
  const opened: { inner?: Executor; changes?: { dispose(): void } } = {};
  try {
    const inner = await parts.openExecutor({ agent, workspace, sessionDir, noChangeTimeoutSeconds, env });
    opened.inner = inner;
    const changes = parts.watchChanges(agent);
    opened.changes = changes;
    const variables = variablesToShow(env);
    const executor = new WindowExecutor({ ...parts, agent, inner, waiting, variables });
    const server = serveConnections({
      executor,
      workspace,
      sessionDir,
      files: parts.filesOf(agent, workspace, closed.signal),
      routes: workRoutes,
      log: (line) => parts.log(`${name}: ${line}`),
    });
    parts.log(`${name} (${sessionId}) works in ${workspace}`);
    return {
      agent,
      folder: workspace,
      accept: (stream) => server.accept(stream),
      suspend() {
        executor.suspend();
        parts.withdraw(sessionId);
      },
      async close(drainTimeoutMs) {
        changes.dispose();
        closed.abort();
        await server.close(drainTimeoutMs).finally(() => directory.unlock());
        parts.log(`${name} (${sessionId}) has left`);
      },
    };
  } catch (error) {
    opened.changes?.dispose();
    await opened.inner?.close().catch((problem: Error) => parts.log(`${name}: ${problem.message}`));
    directory.unlock();
    throw error;
  }
}
