import { type EditorParams, type EditorRequest, editorRequests } from '@fairlead/protocol';
import type * as vscode from 'vscode';
import type { Consent } from '../consent/consent.ts';
import { allowedCommandPatterns } from '../consent/read-settings.ts';
import type { ActionScope } from '../sessions/action-scope.ts';
import type { Agent } from '../sessions/agent.ts';
import type { Caller } from './caller.ts';
import { chat } from './chat/chat.ts';
import { Conversations } from './chat/conversations.ts';
import { readDiagnostics } from './diagnostics.ts';
import { checkCommand, executeCommand } from './execute-command.ts';
import { findDefinition, findReferences } from './locations.ts';
import { readOpenEditors } from './open-editors.ts';
import { openFile } from './open-file.ts';
import { questionsName } from '../bridge/kept-runs.ts';
import type { KeptState } from '../kept.ts';
import { ProgressBars } from './progress.ts';
import { newQuestion } from './questions/new-question.ts';
import { QuestionDesk } from './questions/question-desk.ts';
import { applyRename, planRename } from './rename.ts';
import { renameText } from './rename-text.ts';
import { quietRequest } from './quiet-request.ts';
import { refusalError, RequestError } from './request-error.ts';
import { resolvePath } from './resolve-path.ts';
import { Comparisons } from './show-diff.ts';
import { showMessage } from './show-message.ts';
import { readSymbols } from './symbols.ts';
import type { IsTold } from './told.ts';
import { wish } from './wish.ts';

export interface EditorRequestParts {
  consent: Consent;
  kept: KeptState;
  /** Finds a file by what an agent calls it; refuses what is outside the workspace. */
  resolvePath(path: string, caller: Caller): Promise<vscode.Uri>;
  /** Whether a document is part of the workspace, with every link followed. */
  isInWorkspace(uri: vscode.Uri): Promise<boolean>;
  /** What VS Code reports of these files while `work` runs is not told to the agent as another's change. */
  changedBy<Value>(agent: Agent, uris: vscode.Uri[], work: () => Promise<Value>): Promise<Value>;
  /** The action does nothing but wait for the user until the returned function is called: it may be taken up again. */
  waits(scope: ActionScope): () => void;
}

/** Does what agents and scripts ask the editor for, if the user consents. */
export class EditorRequests implements vscode.Disposable {
  readonly questions: QuestionDesk;
  readonly #parts: EditorRequestParts;
  readonly #conversations: Conversations;
  readonly #comparisons = new Comparisons();
  readonly #progress = new ProgressBars();

  constructor(parts: EditorRequestParts) {
    this.#parts = parts;
    this.questions = new QuestionDesk(parts.kept(questionsName));
    this.#conversations = new Conversations(parts.kept('conversations'));
  }

  /** The result, or a `RequestError`. The caller's deadline is the caller's to keep. */
  async handle(given: EditorRequest, caller: Caller): Promise<Record<string, unknown>> {
    const request = caller.isScript ? given : quietRequest(given);
    await this.#check(request, caller);
    return this.#answer(request, caller);
  }

  /** A client of a script is gone, or a session: what it showed is closed. */
  leave(callerId: string): void {
    this.#progress.leave(callerId);
  }

  /** A run or a session has ended for good. */
  end(askerId: string): void {
    this.leave(askerId);
    this.questions.end(askerId);
  }

  dispose(): void {
    this.questions.dispose();
    this.#progress.dispose();
    this.#comparisons.dispose();
  }

  async #check(request: EditorRequest, caller: Caller): Promise<void> {
    const { capability } = editorRequests[request.type];
    if (capability === 'chat' && !caller.isScript)
      throw new RequestError(
        'denied',
        `${request.type} is for scripts that the user started, not for agents.`,
      );
    if (request.type === 'vscode/ask' && request.params.password && !caller.isScript)
      throw new RequestError('denied', 'An agent cannot ask for a password: what it is told is recorded.');
    if (request.type === 'vscode/executeCommand')
      checkCommand(request.params.command, allowedCommandPatterns());
    // It is asked for when it is known what would change.
    if (request.type === 'vscode/rename') return;
    const detail = argumentsOf(request);
    await this.#consent(caller, { capability, title: wish(request), detail });
  }

  async #consent(caller: Caller, request: Parameters<Consent['ask']>[1]): Promise<void> {
    const outcome = await this.#parts.consent.ask(caller.scope, request);
    if (outcome.kind !== 'allowed') throw refusalError(outcome);
  }

  async #answer({ type, params }: EditorRequest, caller: Caller): Promise<Record<string, unknown>> {
    const { signal, agent } = caller.scope;
    const resolve = (path: string) => this.#resolve(path, caller);
    const isTold = this.#isTold(caller);
    const optional = (path: string | undefined) => (path === undefined ? undefined : resolve(path));
    switch (type) {
      case 'vscode/openFile':
        return openFile(await resolve(params.path), params);
      case 'vscode/showDiff':
        return this.#comparisons.show(params, resolve);
      case 'vscode/diagnostics':
        return readDiagnostics(await optional(params.path), params, { signal, isTold });
      case 'vscode/symbols':
        return readSymbols(await optional(params.path), params, isTold);
      case 'vscode/definition':
        return findDefinition(await resolve(params.path), params, isTold);
      case 'vscode/references':
        return findReferences(await resolve(params.path), params, isTold);
      case 'vscode/rename':
        return this.#rename(await resolve(params.path), params, caller);
      case 'vscode/openEditors':
        return readOpenEditors(isTold);
      case 'vscode/showMessage':
        return showMessage(agent.name, params);
      case 'vscode/ask':
        return this.#ask(params, caller);
      case 'vscode/executeCommand':
        return executeCommand(params);
      case 'vscode/progress':
        return this.#progress.update(caller.callerId, agent.name, params);
      case 'vscode/chat':
        return chat(this.#conversations, params, { who: agent.name, signal, onPart: caller.onPart });
      case 'vscode/getChatHistory':
        return { messages: this.#conversations.messages(params.conversationId).slice(-params.limit) };
    }
  }

  #resolve(path: string, caller: Caller): Promise<vscode.Uri> {
    return resolvePath(path, caller, (wanted, agent) => this.#parts.resolvePath(wanted, agent));
  }

  #isTold({ isScript }: Caller): IsTold {
    return isScript ? async () => true : (uri) => this.#parts.isInWorkspace(uri);
  }

  async #ask(params: EditorParams<'vscode/ask'>, caller: Caller): Promise<Record<string, unknown>> {
    const stopWaiting = caller.isScript ? undefined : this.#parts.waits(caller.scope);
    try {
      return { ...(await this.questions.ask(newQuestion(params, caller), caller.scope.signal)) };
    } finally {
      stopWaiting?.();
    }
  }

  async #rename(
    uri: vscode.Uri,
    params: EditorParams<'vscode/rename'>,
    caller: Caller,
  ): Promise<Record<string, unknown>> {
    const plan = await planRename(uri, params, this.#isTold(caller));
    const { length } = plan.files;
    const title = `rename a symbol to ${params.newName} in ${length} ${length === 1 ? 'file' : 'files'}`;
    await this.#consent(caller, { capability: 'edit', title, detail: renameText(plan) });
    const uris = plan.files.map((file) => file.uri);
    return this.#parts.changedBy(caller.scope.agent, uris, () => applyRename(plan));
  }
}

function argumentsOf({ type, params }: EditorRequest): string {
  const isWithArguments = type === 'vscode/executeCommand' && params.args.length > 0;
  return isWithArguments ? JSON.stringify(params.args) : '';
}
