import { join } from 'node:path';
import * as vscode from 'vscode';
import { openActivity } from './activity/open-activity.ts';
import { type AgentsMenuParts, pickAndEndSession, showAgentsMenu } from './agents-menu.ts';
import { isScript } from './bridge/script-agent.ts';
import { WindowBridge } from './bridge/window-bridge.ts';
import { ConnectCommands } from './connection/connect-commands.ts';
import { GatewayStore } from './connection/gateway-store.ts';
import { endedSessionsName, leftAgentsName, reconnectName, windowIdName } from './connection/kept-choices.ts';
import { claimConnection, giveUpConnection, markReload } from './connection/reload-mark.ts';
import { WindowConnection } from './connection/window-connection.ts';
import { openConsent } from './consent/open-consent.ts';
import { folderFor, onFactsChange, windowFacts } from './facts.ts';
import { openFiles } from './files/open-files.ts';
import { NoticeQueue } from './notices.ts';
import { editorAction } from './requests/editor-action.ts';
import { EditorRequests } from './requests/editor-requests.ts';
import { RunCommands } from './run/run-commands.ts';
import { openAgentSession } from './sessions/agent-session.ts';
import { rememberingConsent } from './sessions/remembering-consent.ts';
import { tidySessions } from './sessions/session-directory.ts';
import { WaitingActions } from './sessions/waiting-actions.ts';
import { WindowSessions } from './sessions/window-sessions.ts';
import { StatusBar } from './status-bar.ts';
import { Engines } from './terminal/engine.ts';
import { rememberShown } from './workspace-before.ts';
import { shownFolders, workspaceState } from './workspace-state.ts';

/** What the commands of the palette stand on. */
export interface FairleadWindow {
  readonly connecting: ConnectCommands;
  readonly bridge: WindowBridge;
  readonly running: RunCommands;
  answerQuestions(): Promise<void>;
  showAgents(): Promise<void>;
  endSession(): Promise<void>;
  showTerminal(): Promise<void>;
  resetPermissions(): Promise<void>;
  showAuditLog(): Promise<void>;
  /** The extension host ends: so does everything that agents have started here. */
  close(): Promise<void>;
}

/** Puts together all that is loaded on first use. */
export function openWindow(
  context: vscode.ExtensionContext,
  hostEnv: Record<string, string | undefined>,
): FairleadWindow {
  const output = vscode.window.createOutputChannel('Fairlead', { log: true });
  const log = (line: string) => output.info(line);
  const kept = workspaceState(context, log);
  const sessionsDirectory = join(context.globalStorageUri.fsPath, 'sessions');
  const waitingOf = keptBySession((sessionId) => new WaitingActions(join(sessionsDirectory, sessionId)));
  let isClosing = false;
  void tidySessions(sessionsDirectory, Date.now()).catch((error: Error) => log(error.message));

  const notices = new NoticeQueue(log);
  const activity = openActivity({ context, output });
  const openedConsent = openConsent({
    grants: kept('grants'),
    activity,
    // No gateway knows of the user's own programs.
    notices: { send: (agent, notice) => isScript(agent) || notices.send(agent, notice) },
  });
  const consent = rememberingConsent(openedConsent, waitingOf);
  const files = openFiles({ consent, activity, notices });
  const engines = new Engines({ hostEnv, log });
  const requests = new EditorRequests({
    consent,
    kept,
    resolvePath: (path, { scope }) =>
      files.uriOf(path, sessions.folderOf(scope.agent.sessionId) ?? folderFor(null)),
    isInWorkspace: (uri) => files.holds(uri),
    changedBy: (agent, uris, work) => files.changedBy(agent, uris, work),
    waits: ({ agent, actionId, action }) => {
      waitingOf(agent.sessionId).add(actionId, action);
      return () => waitingOf(agent.sessionId).remove(actionId);
    },
  });

  const bridge = new WindowBridge({
    kept,
    requests,
    activity,
    endConsent: (askerId) => openedConsent.endSession(askerId),
    log,
  });
  const running = new RunCommands({ bridge, extensionUri: context.extensionUri, hostEnv, log });

  const sessions = new WindowSessions(
    (message) =>
      openAgentSession(message, {
        sessionsDirectory,
        waitingOf,
        folderOf: folderFor,
        openExecutor: (place) => engines.open({ ...place, files: files.host }),
        filesOf: (agent, folder, closed) => files.filesOf(agent, folder, closed),
        watchChanges: (agent) => files.watch(agent),
        withdraw: (id) => {
          openedConsent.withdraw(id);
          requests.questions.withdraw(id);
        },
        consent,
        activity,
        answerEditorRequest: (action, scope) => editorAction(requests, scope, action),
        log,
      }),
    { changed: onSessionsChange, ended: forgetSession },
  );
  const connection = new WindowConnection({
    facts: () =>
      windowFacts(
        context,
        kept(windowIdName),
        sessions.agents().map(({ sessionId }) => sessionId),
      ),
    sessions,
    notices,
    endedSessions: kept(endedSessionsName),
    saveKey: (url, key) => store.save({ url, key }),
    onState: () => onConnectionChange(),
    onRefused: (url, detail) => connecting.onRefused(url, detail),
    log,
  });
  const store = new GatewayStore(context.secrets);
  const connecting = new ConnectCommands({
    connection,
    store,
    reconnects: kept(reconnectName),
    agents: () => sessions.agents(),
    showLog: () => output.show(),
  });
  const menu: AgentsMenuParts = {
    connection: () => connection.state,
    agents: () => sessions.agents(),
    waitingApprovals: () => openedConsent.waitingCount,
    isReconnecting: () => kept(reconnectName).get() === true,
    endSession: ({ sessionId, name }) =>
      connection.endSession(sessionId, `The user ended the session of ${name} in the window`),
  };
  const statusBar = new StatusBar();
  // VS Code ends subscriptions before it lets us close; these are needed until then.
  const shown = vscode.Disposable.from(
    openedConsent.onDidChangeWaiting(() => showStatus()),
    onFactsChange(() => {
      connection.tellFacts();
      if (connection.state.kind !== 'off') rememberShown(kept, shownFolders());
    }),
    statusBar,
    running,
    requests,
    openedConsent,
    activity,
    output,
  );
  showStatus();

  return {
    connecting,
    bridge,
    running,
    answerQuestions: () => requests.questions.choose(),
    showAgents: () => showAgentsMenu(menu),
    endSession: () => pickAndEndSession(menu),
    showTerminal: () => engines.showTerminal(),
    resetPermissions: () => openedConsent.resetPermissions(),
    showAuditLog: () => activity.showAuditLog(),
    async close() {
      isClosing = true;
      if (connection.state.kind !== 'off') markReload(kept);
      await Promise.allSettled([connection.suspend(), bridge.close()]);
      shown.dispose();
    },
  };

  function onSessionsChange(): void {
    connection.tellFacts();
    rememberAgents();
    showStatus();
  }

  function forgetSession(sessionId: string): void {
    openedConsent.endSession(sessionId);
    requests.end(sessionId);
    notices.forget(sessionId);
  }

  function onConnectionChange(): void {
    const isConnected = connection.state.kind !== 'off';
    if (!isClosing) (isConnected ? claimConnection : giveUpConnection)(kept);
    if (!isClosing && isConnected) rememberShown(kept, shownFolders());
    void vscode.commands.executeCommand('setContext', 'fairlead.isConnected', isConnected);
    rememberAgents();
    showStatus();
  }

  /** For the next time that this window opens: who was at work when it closed. */
  function rememberAgents(): void {
    if (isClosing) return;
    const names = sessions.agents().map(({ name }) => name);
    kept(leftAgentsName).set(names.length === 0 ? undefined : names);
  }

  function showStatus(): void {
    if (isClosing) return;
    statusBar.show({
      connection: connection.state,
      agents: sessions.agents(),
      waitingApprovals: openedConsent.waitingCount,
    });
  }
}

/** One value for each session, made when it is first asked for. */
function keptBySession<Value>(make: (sessionId: string) => Value): (sessionId: string) => Value {
  const kept = new Map<string, Value>();
  return (sessionId) => {
    const value = kept.get(sessionId) ?? make(sessionId);
    kept.set(sessionId, value);
    return value;
  };
}
