import { errorObservation, vscodeObservation } from '@fairlead/protocol/answers';
import type { EditorRequest } from '@fairlead/protocol';
import * as vscode from 'vscode';
import type { Activity } from '../activity/activity.ts';
import type { KeptState } from '../kept.ts';
import type { EditorRequests } from '../requests/editor-requests.ts';
import { asRequestError, RequestError } from '../requests/request-error.ts';
import type { Call } from './answer.ts';
import { Bridge, type StartedRun } from './bridge.ts';
import { DebugBridge } from './debug-bridge.ts';
import { runsName } from './kept-runs.ts';
import { Operations } from './operations.ts';
import type { BridgeRun } from './runs.ts';
import { askerIdOf, scriptScope } from './script-agent.ts';

export interface WindowBridgeParts {
  kept: KeptState;
  requests: EditorRequests;
  activity: Activity;
  /** What the user allowed for this run is over. */
  endConsent(askerId: string): void;
  log(line: string): void;
}

/** The bridge of this window: the programs that the user started, and debug sessions. */
export class WindowBridge {
  readonly #parts: WindowBridgeParts;
  readonly #bridge: Bridge;
  readonly #operations: Operations;

  constructor(parts: WindowBridgeParts) {
    this.#parts = parts;
    const { kept, requests, log } = parts;
    this.#operations = new Operations({
      handle: (request, call) => this.#handle(request, call),
      answer: (runId, questionId, typed) => requests.questions.submit(askerIdOf(runId), questionId, typed),
    });
    this.#bridge = new Bridge({
      handle: (request, call) => this.#handle(request, call),
      operations: this.#operations,
      submit: (runId, resumeToken, answer) =>
        this.#operations.submit(runId, resumeToken, answer) ?? {
          submitted: requests.questions.submit(askerIdOf(runId), resumeToken, answer),
          operationId: resumeToken,
        },
      left: (callerId) => this.#left(callerId),
      store: kept(runsName),
      port: () => vscode.workspace.getConfiguration('fairlead').get('runBridge.port', 0),
      // As long as the extension host of before the reload may go on.
      restoreTimeoutMs: 30_000,
      runEnded: (runId) => this.#ended(runId),
      log,
    });
  }

  get isEnabled(): boolean {
    return vscode.workspace.getConfiguration('fairlead').get('runBridge.enabled', true);
  }

  /** Undefined when the user switched the bridge off. */
  async begin(name: string): Promise<StartedRun | undefined> {
    return this.isEnabled ? this.#bridge.begin(name) : undefined;
  }

  /** After a reload of the window: programs that still run get their bridge back, and questions that wait are shown. */
  async restore(): Promise<void> {
    const { restored, elsewhere } = await this.#bridge.restore();
    this.#parts.requests.questions.restore({ here: askersOf(restored), elsewhere: askersOf(elsewhere) });
  }

  end(runId: string): void {
    this.#bridge.end(runId);
  }

  /** The end of a terminal that an earlier extension host opened. */
  endOfProcess(pid: number): void {
    this.#bridge.endOfProcess(pid);
  }

  debugSession(session: vscode.DebugSession): DebugBridge {
    const { log } = this.#parts;
    return new DebugBridge({
      run: { id: session.id, name: session.name },
      handle: (request, call) => this.#handle(request, call),
      operations: this.#operations,
      request: (command, args) => Promise.resolve(session.customRequest(command, args)),
      left: () => this.#ended(session.id),
      log,
    });
  }

  close(): Promise<void> {
    this.#operations.close();
    return this.#bridge.close();
  }

  /** Every request of a script is in the activity, as those of agents are. */
  async #handle(request: EditorRequest, call: Call): Promise<Record<string, unknown>> {
    if (!this.isEnabled)
      throw new RequestError(
        'denied',
        'The setting "fairlead.runBridge.enabled" of this VS Code window is off.',
      );
    const { requests, activity } = this.#parts;
    const scope = scriptScope(request, call);
    const shown = activity.begin(scope);
    try {
      const { callerId, onPart } = call;
      const result = await requests.handle(request, { scope, isScript: true, callerId, onPart });
      shown.end(vscodeObservation(request.type, forRecord(request, result)));
      return result;
    } catch (error) {
      const { message, code } = asRequestError(error);
      shown.end(errorObservation(message, code));
      throw error;
    }
  }

  #left(callerId: string): void {
    this.#operations.leave(callerId);
    this.#parts.requests.leave(callerId);
  }

  #ended(runId: string): void {
    const { requests, endConsent } = this.#parts;
    this.#left(runId);
    this.#operations.endRun(runId);
    requests.end(askerIdOf(runId));
    endConsent(askerIdOf(runId));
  }
}

function askersOf(runs: readonly BridgeRun[]): Set<string> {
  return new Set(runs.map(({ id }) => askerIdOf(id)));
}

/** What was typed into a hidden field is shown nowhere. */
function forRecord(
  { type, params }: EditorRequest,
  result: Record<string, unknown>,
): Record<string, unknown> {
  const isHidden = type === 'vscode/ask' && params.password;
  return isHidden ? { ...result, answer: '(hidden)' } : result;
}
