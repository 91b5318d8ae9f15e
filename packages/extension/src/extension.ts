import * as vscode from 'vscode';
import { trackDebugSessions } from './bridge/debug-tracker.ts';
import { questionsName, runsName } from './bridge/kept-runs.ts';
import { leftAgentsName, reconnectName } from './connection/kept-choices.ts';
import { whatWasBefore } from './connection/reload-mark.ts';
import type { KeptState } from './kept.ts';
import type { FairleadWindow } from './window.ts';
import { takeOverFromBefore } from './workspace-before.ts';
import { shownFolders, workspaceDirectory, workspaceState } from './workspace-state.ts';

/** For other extensions, whose programs may use the bridge too. */
export interface FairleadApi {
  /** What a program needs in its environment, until `end` is called; undefined when the user switched the bridge off. */
  getRunEnvironment(options?: {
    name?: string;
  }): Promise<{ env: Record<string, string>; end(): void } | undefined>;
}

let opened: Promise<FairleadWindow> | undefined;

/** Only registers: what does the work is loaded when it is first wanted. */
export function activate(context: vscode.ExtensionContext): FairleadApi {
  const window = (): Promise<FairleadWindow> =>
    (opened ??= import('./window.ts').then(({ openWindow }) => openWindow(context, { ...process.env })));
  const commands: Record<string, (window: FairleadWindow, given: unknown) => Promise<void>> = {
    'fairlead.connect': ({ connecting }) => connecting.connect(),
    'fairlead.disconnect': ({ connecting }) => connecting.disconnect(),
    'fairlead.signIn': ({ connecting }) => connecting.signIn(),
    'fairlead.signOut': ({ connecting }) => connecting.signOut(),
    'fairlead.reconnectWorkspace': ({ connecting }) => connecting.toggleReconnect(),
    'fairlead.showAgents': (it) => it.showAgents(),
    'fairlead.endSession': (it) => it.endSession(),
    'fairlead.showTerminal': (it) => it.showTerminal(),
    'fairlead.runFile': ({ running }, file) => running.runFile(file),
    'fairlead.debugFile': ({ running }, file) => running.debugFile(file),
    'fairlead.answerQuestions': (it) => it.answerQuestions(),
    'fairlead.resetPermissions': (it) => it.resetPermissions(),
    'fairlead.showAuditLog': (it) => it.showAuditLog(),
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(
      vscode.commands.registerCommand(name, async (given: unknown) => run(await window(), given)),
    );
  }
  context.subscriptions.push(
    // Says how to begin, until there is something to show.
    vscode.window.registerTreeDataProvider('fairlead.start', {
      getChildren: () => [],
      getTreeItem: (it) => it,
    }),
    vscode.window.registerUriHandler({
      async handleUri({ path, query }) {
        if (path === '/connect') await (await window()).connecting.openLink(query);
      },
    }),
  );
  context.subscriptions.push(
    trackDebugSessions(async (session) => (await window()).bridge.debugSession(session)),
  );
  const kept = workspaceState(context);
  void begin(context, kept, window);
  return {
    getRunEnvironment: async (options) => (await window()).bridge.begin(options?.name ?? 'A program'),
  };
}

/** Called when the extension host ends; VS Code waits a few seconds for it. */
export async function deactivate(): Promise<void> {
  await (await opened)?.close();
}

async function begin(
  context: vscode.ExtensionContext,
  kept: KeptState,
  window: () => Promise<FairleadWindow>,
): Promise<void> {
  const directory = workspaceDirectory(context);
  const wasConnected = directory !== undefined && (await takeOverFromBefore(directory, shownFolders()));
  if (isWaiting(kept)) void window().then(({ bridge }) => bridge.restore());
  if (wasConnected) await (await window()).connecting.reconnect();
  else await comeBack(kept, window);
}

/** Programs that were started before a reload, and their questions, are waiting for this window. */
function isWaiting(kept: KeptState): boolean {
  return [runsName, questionsName]
    .map((name) => kept(name).get())
    .some((it) => Array.isArray(it) && it.length > 0);
}

/** Nothing connects by itself unless the user chose so for this workspace, or had connected it before this reload. */
async function comeBack(kept: KeptState, window: () => Promise<FairleadWindow>): Promise<void> {
  if (kept(reconnectName).get() === true) return (await window()).connecting.reconnect();
  const before = await whatWasBefore(kept);
  if (before === 'reloaded') return (await window()).connecting.reconnect();
  if (before === 'connected') return;
  const left = kept(leftAgentsName).get();
  if (!Array.isArray(left)) return;
  kept(leftAgentsName).set(undefined);
  await (await window()).connecting.offerReconnect(left.map(String));
}
