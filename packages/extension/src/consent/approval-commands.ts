import * as vscode from 'vscode';
import { firstLine } from '../activity/describe-action.ts';
import { capabilityOf, wish, type Answer, type Approval } from './approval.ts';
import type { Capability } from './consent.ts';
import type { ConsentDesk } from './desk.ts';
import type { Reach } from './grants.ts';
import { isToldWhole } from './notification-text.ts';
import type { Reviews } from './reviews.ts';
import { reviewScheme } from './review-files.ts';

/** What the user can do with an approval: from a notification, from the view, from the title of a tab, by palette. */
export class ApprovalCommands implements vscode.Disposable {
  readonly #desk: ConsentDesk;
  readonly #reviews: Reviews;
  readonly #disposable: vscode.Disposable;
  /** Questions to the user that make no sense any more when their approval is gone. */
  readonly #questions = new Map<string, vscode.CancellationTokenSource>();

  constructor(desk: ConsentDesk, reviews: Reviews) {
    this.#desk = desk;
    this.#reviews = reviews;
    const commands: Record<string, (approval: Approval) => unknown> = {
      accept: (approval) => this.#accept(approval),
      allowSession: (approval) => this.#accept(approval, 'session'),
      allowWorkspace: (approval) => this.#accept(approval, 'workspace'),
      acceptAllEdits: (approval) => this.#accept(approval, 'session'),
      always: (approval) => this.#always(approval),
      edit: (approval) => this.#edit(approval),
      review: (approval) => this.#reviews.reveal(approval),
      reject: (approval) => this.#reject(approval),
    };
    this.#disposable = vscode.Disposable.from(
      ...Object.entries(commands).map(([name, run]) =>
        vscode.commands.registerCommand(`fairlead.approval.${name}`, async (target: unknown) => {
          const approval = await this.#find(target);
          if (approval !== undefined) await run(approval);
        }),
      ),
    );
  }

  /** Ends the questions whose approval does not wait any more. */
  changed(): void {
    const waiting = new Set(this.#desk.list().map(({ id }) => id));
    for (const [id, question] of this.#questions) if (!waiting.has(id)) question.cancel();
  }

  dispose(): void {
    this.#disposable.dispose();
  }

  /** What no line can tell is read first: of an edit the diff, which may not be open yet. */
  #isUnread(approval: Approval): boolean {
    const { request } = approval;
    return (request.kind === 'edit' || !isToldWhole(request)) && !this.#reviews.isOpen(approval);
  }

  async #accept(approval: Approval, remember?: Reach): Promise<void> {
    if (this.#isUnread(approval)) return this.#reviews.reveal(approval);
    const changed = this.#reviews.changedText(approval);
    this.#answer(approval, {
      kind: 'accept',
      ...(changed !== undefined && { changed }),
      ...(remember !== undefined && { remember }),
    });
  }

  async #always(approval: Approval): Promise<void> {
    if (this.#isUnread(approval)) return this.#reviews.reveal(approval);
    const what = everything[capabilityOf(approval.request)];
    const picked = await this.#ask(approval, (token) =>
      vscode.window.showQuickPick(
        [
          {
            label: `Allow ${what} of ${approval.agent.name} until its session ends`,
            reach: 'session' as const,
          },
          { label: `Allow ${what} of every agent in this workspace`, reach: 'workspace' as const },
        ],
        { placeHolder: 'Undo it with "Fairlead: Reset Permissions"', ignoreFocusOut: true },
        token,
      ),
    );
    if (picked !== undefined) await this.#accept(approval, picked.reach);
  }

  /** A short command in a box, all else in an editor. */
  async #edit(approval: Approval): Promise<void> {
    const { request, agent } = approval;
    if (request.kind !== 'run' || request.command.includes('\n') || !isToldWhole(request))
      return this.#reviews.reveal(approval);
    const command = await this.#ask(approval, (token) =>
      vscode.window.showInputBox(
        {
          title: `${agent.name} wants to ${firstLine(wish(request))}`,
          prompt: 'Enter runs it as it stands here. Escape leaves it waiting.',
          value: request.command,
          ignoreFocusOut: true,
        },
        token,
      ),
    );
    if (command === undefined) return;
    this.#answer(approval, { kind: 'accept', ...(command !== request.command && { changed: command }) });
  }

  async #reject(approval: Approval): Promise<void> {
    const reason = await this.#ask(approval, (token) =>
      vscode.window.showInputBox(
        {
          title: `Reject: ${firstLine(wish(approval.request))}`,
          prompt: `Tell ${approval.agent.name} why, or leave it empty. Escape leaves the action waiting.`,
          ignoreFocusOut: true,
        },
        token,
      ),
    );
    if (reason !== undefined) this.#answer(approval, { kind: 'reject', reason: reason.trim() });
  }

  #answer(approval: Approval, answer: Answer): void {
    if (!this.#desk.answer(approval.id, answer)) tellGone();
  }

  async #ask<Said>(
    approval: Approval,
    show: (token: vscode.CancellationToken) => Thenable<Said>,
  ): Promise<Said> {
    const question = new vscode.CancellationTokenSource();
    this.#questions.get(approval.id)?.cancel();
    this.#questions.set(approval.id, question);
    const said = await show(question.token);
    if (this.#questions.get(approval.id) === question) this.#questions.delete(approval.id);
    question.dispose();
    return said;
  }

  /** A notification names it by id, the view gives it, a tab its address; by palette the user picks. */
  async #find(target: unknown): Promise<Approval | undefined> {
    const waiting = this.#desk.list();
    if (typeof target === 'string' || isApproval(target)) {
      const id = typeof target === 'string' ? target : target.id;
      const approval = waiting.find((one) => one.id === id);
      if (approval === undefined) tellGone();
      return approval;
    }
    const uri = target instanceof vscode.Uri && target.scheme === reviewScheme ? target : undefined;
    const reviewed = this.#reviews.approvalAt(uri);
    if (reviewed !== undefined) return reviewed;
    const [first] = waiting;
    if (first === undefined) tellGone();
    if (waiting.length <= 1) return first;
    const picked = await vscode.window.showQuickPick(
      waiting.map((approval) => ({
        label: firstLine(wish(approval.request)),
        description: approval.agent.name,
        approval,
      })),
      { placeHolder: 'Which one?' },
    );
    return picked?.approval;
  }
}

/** What is allowed with one answer: whatever is asked for, it is the whole capability. */
const everything: Record<Capability, string> = {
  read: 'all reading',
  edit: 'all edits and uploads',
  run: 'all commands',
  interact: 'all use of the editor',
  command: 'all VS Code commands on your list',
  chat: 'all use of the language model',
};

function isApproval(target: unknown): target is Approval {
  return typeof target === 'object' && target !== null && 'request' in target && 'id' in target;
}

function tellGone(): void {
  void vscode.window.showInformationMessage('Nothing waits for this decision any more.');
}
