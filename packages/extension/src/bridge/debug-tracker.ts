import * as vscode from 'vscode';
import type { DebugBridge } from './debug-bridge.ts';

/** Written out here, so that a window in which nobody asks loads nothing. */
const bridgeEvents = new Set<unknown>(['customRequest', 'asyncOperationStarted', 'asyncOperationUpdated']);

/**
 * Watches every debug session for an adapter that asks the editor for something. Of all others nothing is looked at but
 * the name of each event.
 */
export function trackDebugSessions(
  open: (session: vscode.DebugSession) => Promise<DebugBridge>,
): vscode.Disposable {
  return vscode.debug.registerDebugAdapterTrackerFactory('*', {
    createDebugAdapterTracker(session) {
      let bridge: Promise<DebugBridge> | undefined;
      return {
        onDidSendMessage(message: { type?: unknown; event?: unknown } | undefined) {
          if (message?.type !== 'event' || !bridgeEvents.has(message.event)) return;
          bridge ??= open(session);
          void bridge.then((it) => it.receive(message));
        },
        onWillStopSession: () => void bridge?.then((it) => it.end()),
        onExit: () => void bridge?.then((it) => it.end()),
      };
    },
  });
}
