import * as vscode from 'vscode';
import type { Approval, ApprovalRequest } from './approval.ts';
import { reviewScheme, type ReviewFiles } from './review-files.ts';
import {
  closeReviewTabs,
  findReviewTabs,
  isSame,
  reviewColumn,
  reviewedUri,
  shownText,
} from './review-tabs.ts';

interface Review {
  approval: Approval;
  /** The document that the user may change. */
  uri: vscode.Uri;
  /** Settles when all that opens its tab is done. */
  opening: Promise<void>;
}

/** The editor tabs in which the user reads, changes and decides: a diff for an edit, the command for a long command. */
export class Reviews implements vscode.Disposable {
  readonly #files: ReviewFiles;
  /** By approval, oldest first. */
  readonly #reviews = new Map<string, Review>();
  readonly #disposable: vscode.Disposable;

  /** `abandoned`: the user closed the tab of an edit without a decision. */
  constructor(files: ReviewFiles, abandoned: (approval: Approval) => void) {
    this.#files = files;
    this.#disposable = vscode.Disposable.from(
      vscode.workspace.registerFileSystemProvider(reviewScheme, files, { isCaseSensitive: true }),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        for (const tab of closed) {
          const review = this.#at(reviewedUri(tab));
          // A tab that is moved to another group is closed here and open there.
          if (review === undefined || findReviewTabs(review.uri).length > 0) continue;
          if (review.approval.request.kind === 'edit') abandoned(review.approval);
        }
      }),
    );
    // Left of a window that was reloaded: what still waits asks again and opens a tab of its own.
    void closeReviewTabs((uri) => this.#at(uri) === undefined);
  }

  /** Makes the texts ready, and shows an edit, unless the user is in another review: then it comes behind that. */
  present(approval: Approval): vscode.Disposable {
    const uri = documentUri(approval);
    const review: Review = { approval, uri, opening: Promise.resolve() };
    const { request } = approval;
    this.#files.add(uri, proposed(request), { isReadonly: request.kind === 'ask' });
    if (request.kind === 'edit') this.#files.add(beforeUri(uri), request.before ?? '', { isReadonly: true });
    this.#reviews.set(approval.id, review);
    if (request.kind === 'edit' && this.approvalAt() === undefined) void this.#open(review, false);
    return new vscode.Disposable(() => void this.#withdraw(review));
  }

  /** Brings it before the user, who asked for it. */
  async reveal(approval: Approval): Promise<void> {
    const review = this.#reviews.get(approval.id);
    if (review !== undefined) await this.#open(review, true);
  }

  /** Whether there is a tab in which the user can read all of it. */
  isOpen(approval: Approval): boolean {
    const review = this.#reviews.get(approval.id);
    return review !== undefined && findReviewTabs(review.uri).length > 0;
  }

  /** The text as the user changed it; undefined when it is what the agent proposed. */
  changedText(approval: Approval): string | undefined {
    const review = this.#reviews.get(approval.id);
    if (review === undefined) return undefined;
    const text = shownText(review.uri) ?? this.#files.text(review.uri);
    return text === undefined || isSameText(text, proposed(approval.request)) ? undefined : text;
  }

  /** What is reviewed in a tab; of the active one when none is named. */
  approvalAt(uri = reviewedUri(vscode.window.tabGroups.activeTabGroup.activeTab)): Approval | undefined {
    return this.#at(uri)?.approval;
  }

  dispose(): void {
    this.#disposable.dispose();
  }

  #open(review: Review, takesFocus: boolean): Promise<void> {
    review.opening = review.opening.then(() => show(review, takesFocus));
    return review.opening;
  }

  async #withdraw({ approval, uri, opening }: Review): Promise<void> {
    this.#reviews.delete(approval.id);
    // Not before it is open: it could not be found.
    await opening;
    await closeReviewTabs((reviewed) => isSame(reviewed, uri));
    this.#files.remove(uri);
    this.#files.remove(beforeUri(uri));
    this.#openNext();
  }

  /** Another review in the place of the one that the user is in would get their keys, and their decision. */
  #openNext(): void {
    if (this.approvalAt() !== undefined) return;
    const next = [...this.#reviews.values()].find(
      ({ approval }) => approval.request.kind === 'edit' && !this.isOpen(approval),
    );
    if (next !== undefined) void this.#open(next, false);
  }

  #at(uri: vscode.Uri | undefined): Review | undefined {
    return [...this.#reviews.values()].find((review) => isSame(review.uri, uri));
  }
}

async function show({ approval, uri }: Review, takesFocus: boolean): Promise<void> {
  const [tab] = findReviewTabs(uri);
  const options: vscode.TextDocumentShowOptions = {
    viewColumn: tab?.group.viewColumn ?? (takesFocus ? vscode.ViewColumn.Active : reviewColumn()),
    preserveFocus: !takesFocus,
    preview: false,
  };
  if (approval.request.kind === 'edit') {
    const title = `${baseName(approval.request.path)} (${approval.agent.name} proposes)`;
    await vscode.commands.executeCommand('vscode.diff', beforeUri(uri), uri, title, options);
  } else await vscode.window.showTextDocument(uri, options);
}

/** The path is the file's own, by which the editor knows the language and shows where it is. */
function documentUri({ id, request }: Approval): vscode.Uri {
  return vscode.Uri.from({ scheme: reviewScheme, path: `/${documentName(request)}`, query: id });
}

function documentName(request: ApprovalRequest): string {
  switch (request.kind) {
    case 'run':
      return `${request.cwd ?? ''}/${request.isInput ? 'input.txt' : 'command.sh'}`.replace(/^\/+/, '');
    case 'edit':
      return request.path.replace(/^\/+/, '');
    case 'ask':
      return 'request.txt';
  }
}

function beforeUri(uri: vscode.Uri): vscode.Uri {
  return uri.with({ query: `${uri.query}&before` });
}

function proposed(request: ApprovalRequest): string {
  switch (request.kind) {
    case 'run':
      return request.command;
    case 'edit':
      return request.after;
    case 'ask':
      return [request.title, request.detail].filter((text) => text !== '').join('\n\n');
  }
}

/** An editor shows only one kind of line ends. */
function isSameText(one: string, other: string): boolean {
  const [shown, meant] = [one, other].map((text) => text.replaceAll(/\r\n?/g, '\n'));
  return shown === meant;
}

function baseName(path: string): string {
  return path.split('/').at(-1) ?? path;
}
