import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duplexPair, type Duplex } from 'node:stream';
import { openExecutor } from '@fairlead/executor';
import { diskFiles } from '@fairlead/sandbox/server';
import { onTestFinished } from 'vitest';
import {
  type AgentSession,
  type AgentSessionParts,
  openAgentSession,
} from '../../src/sessions/agent-session.ts';
import { rememberingConsent } from '../../src/sessions/remembering-consent.ts';
import { WaitingActions } from '../../src/sessions/waiting-actions.ts';
import { StandInConsent } from './stand-in-consent.ts';

const sessionId = 'aaaaaaaaaaaaaaaaaaaa';

export interface Answer {
  observation: string;
  content: string;
  exitCode: number | undefined;
}

/** Where the sessions of a window have their directories, for one extension host after the other. */
export class SessionPlace {
  readonly root = mkdtempSync(join(tmpdir(), 'window-sessions-'));
  readonly workspace = join(this.root, 'workspace');
  readonly sessionsDirectory = join(this.root, 'sessions');

  constructor() {
    onTestFinished(() => rmSync(this.root, { recursive: true, force: true }));
  }

  /** A session as a window opens it, on a real shell and the real disk. */
  async open(
    consent = new StandInConsent(),
    changes: Partial<AgentSessionParts> = {},
    env: Record<string, string> = {},
  ): Promise<OpenedSession> {
    const waiting = new WaitingActions(join(this.sessionsDirectory, sessionId));
    const observations: string[] = [];
    const session = await openAgentSession(
      {
        sessionId,
        agent: 'Ada',
        owner: 'operator',
        folder: null,
        env,
        createdAt: new Date().toISOString(),
      },
      {
        sessionsDirectory: this.sessionsDirectory,
        waitingOf: () => waiting,
        folderOf: () => this.root,
        openExecutor: (place) =>
          openExecutor({ ...place, terminal: 'pty', env: { PATH: '/usr/bin:/bin' }, startsShellLate: true }),
        filesOf: (_agent, folder) => diskFiles(folder, undefined),
        watchChanges: () => ({ dispose: () => undefined }),
        withdraw: () => consent.withdraw(),
        consent: rememberingConsent(consent, () => waiting),
        activity: { begin: () => ({ end: ({ content }) => void observations.push(content) }) },
        answerEditorRequest: () => Promise.reject(new Error('there is no editor here')),
        log: () => undefined,
        ...changes,
      },
    );
    onTestFinished(() => session.close(0));
    return { session, consent, observations };
  }

  /** Ids of the processes that have this place in their environment or in their arguments. */
  processes(): number[] {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => Number.isInteger(pid) && pid > 0 && pid !== process.pid)
      .filter((pid) => ['cmdline', 'environ'].some((file) => readProc(pid, file).includes(this.root)));
  }
}

export interface OpenedSession {
  session: AgentSession;
  consent: StandInConsent;
  /** What the user was shown. */
  observations: string[];
}

/** As the gateway does it: over a connection of its own, which may be lost. */
export function run(
  session: AgentSession,
  command: string,
  { key, args, headers, timeout = 60 }: RunOptions = {},
): Promise<Answer> {
  const action = { action: 'run', args: { command, ...args }, timeout };
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        method: 'POST',
        path: '/execute_action',
        headers: { host: 'session', ...(key && { 'idempotency-key': key, 'x-action-id': key }), ...headers },
        createConnection: () => connectTo(session),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const answer = JSON.parse(Buffer.concat(chunks).toString()) as {
            observation: string;
            content: string;
            extras: { metadata?: { exit_code: number } };
          };
          const { observation, content, extras } = answer;
          resolve({ observation, content, exitCode: extras?.metadata?.exit_code });
        });
      },
    );
    request.on('error', reject);
    request.end(JSON.stringify({ action }));
  });
}

interface RunOptions {
  key?: string;
  args?: Record<string, unknown>;
  headers?: Record<string, string>;
  timeout?: number;
}

/** A connection of the gateway's. */
export function connectTo(session: AgentSession): Duplex {
  const [mine, its] = duplexPair();
  mine.once('close', () => its.destroy());
  its.once('close', () => mine.destroy());
  mine.on('error', () => undefined);
  session.accept(its);
  return mine;
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
