import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openExecutor } from '@fairlead/executor';
import type { WindowFacts } from '@fairlead/protocol';
import { diskFiles } from '@fairlead/sandbox/server';
import { onTestFinished } from 'vitest';
import {
  type ConnectionState,
  WindowConnection,
} from '../../../packages/extension/src/connection/window-connection.ts';
import { ConsentDesk } from '../../../packages/extension/src/consent/desk.ts';
import { Grants } from '../../../packages/extension/src/consent/grants.ts';
import type { ConsentSetting } from '../../../packages/extension/src/consent/policy.ts';
import type { Kept } from '../../../packages/extension/src/kept.ts';
import { NoticeQueue } from '../../../packages/extension/src/notices.ts';
import { openAgentSession } from '../../../packages/extension/src/sessions/agent-session.ts';
import { rememberingConsent } from '../../../packages/extension/src/sessions/remembering-consent.ts';
import { WaitingActions } from '../../../packages/extension/src/sessions/waiting-actions.ts';
import { WindowSessions } from '../../../packages/extension/src/sessions/window-sessions.ts';
import { keptInMemory } from '../../../packages/extension/test/support/kept-in-memory.ts';

/** What the extension does in a window, without VS Code around it: real shells and files, and a user who allows all at first. */
export class ExtensionWindow {
  readonly windowId: string;
  readonly root: string;
  readonly folder: string;
  /** The sessions that were ended while nobody could be told. */
  readonly keptEnded: Kept;
  readonly savedKeys: { url: string; key: string }[] = [];
  readonly refusals: string[] = [];
  readonly states: ConnectionState['kind'][] = [];
  /** What the user has chosen about commands. */
  setting: ConsentSetting = 'allow';
  readonly desk = new ConsentDesk({
    settingOf: () => this.setting,
    isTrusted: () => true,
    timeoutSeconds: () => 600,
    grants: new Grants({ get: () => undefined, set: () => undefined }),
    present: () => ({ dispose: () => undefined }),
    changedText: () => undefined,
    tell: () => undefined,
    changed: () => undefined,
    untrusted: () => undefined,
  });
  readonly notices = new NoticeQueue(() => undefined);
  readonly sessions: WindowSessions;
  readonly connection: WindowConnection;

  /** As the one before, after a reload: the same id, and the same directories. */
  constructor(before?: ExtensionWindow) {
    this.windowId = before?.windowId ?? randomUUID();
    this.root = before?.root ?? mkdtempSync(join(tmpdir(), 'ew-'));
    this.keptEnded = before?.keptEnded ?? keptInMemory();
    this.folder = join(this.root, 'folder');
    mkdirSync(this.folder, { recursive: true });
    const sessionsDirectory = join(this.root, 'sessions');
    const waiting = new Map<string, WaitingActions>();
    const waitingOf = (sessionId: string): WaitingActions => {
      const kept = waiting.get(sessionId) ?? new WaitingActions(join(sessionsDirectory, sessionId));
      waiting.set(sessionId, kept);
      return kept;
    };
    const consent = rememberingConsent(
      {
        run: async (scope, request) => {
          const outcome = await this.desk.pass(scope, { kind: 'run', ...request });
          if (outcome.kind !== 'allowed') return outcome;
          return { kind: 'allowed', command: request.command, isChanged: false };
        },
        edit: async (_scope, { after }) => ({ kind: 'allowed', text: after, isChanged: false }),
        ask: async () => ({ kind: 'allowed' }),
      },
      waitingOf,
    );
    this.sessions = new WindowSessions(
      (message) =>
        openAgentSession(message, {
          sessionsDirectory,
          waitingOf,
          folderOf: (wanted) => wanted ?? this.folder,
          openExecutor: (place) =>
            openExecutor({
              ...place,
              terminal: 'pty',
              env: { PATH: '/usr/bin:/bin' },
              startsShellLate: true,
            }),
          filesOf: (_agent, folder) => diskFiles(folder, undefined),
          watchChanges: () => ({ dispose: () => undefined }),
          withdraw: (sessionId) => this.desk.withdraw(sessionId),
          consent,
          activity: { begin: () => ({ end: () => undefined }) },
          answerEditorRequest: () => Promise.reject(new Error('there is no editor here')),
          log: () => undefined,
        }),
      {
        changed: () => this.connection.tellFacts(),
        ended: (sessionId) => this.notices.forget(sessionId),
      },
    );
    this.connection = new WindowConnection({
      facts: () => this.#facts(),
      sessions: this.sessions,
      notices: this.notices,
      endedSessions: this.keptEnded,
      saveKey: async (url, key) => void this.savedKeys.push({ url, key }),
      onState: ({ kind }) => void this.states.push(kind),
      onRefused: (_url, detail) => void this.refusals.push(detail),
      log: () => undefined,
    });
    onTestFinished(async () => {
      await this.connection.disconnect('the test is over');
      await this.sessions.closeAll();
      rmSync(this.root, { recursive: true, force: true });
    });
  }

  #facts(): WindowFacts {
    return {
      windowId: this.windowId,
      name: 'folder',
      folders: [{ name: 'folder', uri: `file://${this.folder}`, path: this.folder }],
      vscodeVersion: '1.93.0',
      extensionVersion: '0.1.0',
      appName: 'a test',
      remoteName: null,
      isTrusted: true,
      capabilities: ['run'],
      openSessions: this.sessions.agents().map(({ sessionId }) => sessionId),
    };
  }
}
