import { isUtf8 } from 'node:buffer';
import {
  type DecodedText,
  decodeText,
  type DirectoryEntry,
  encodeText,
  FileError,
  type FileHost,
  type FileStat,
  type WriteOptions,
  type WrittenFile,
} from '@fairlead/executor';
import type { Action, ActionOf } from '@fairlead/protocol';
import { type Consent, refusalText } from '../consent/consent.ts';
import { type ActionScope, currentAction } from '../sessions/action-scope.ts';
import { applyText, type Wanted } from './apply-text.ts';
import { changedMeanwhile, refuseOtherEditor, unseenChanges } from './conflict.ts';
import { problemsAround } from './diagnostics.ts';
import { type FileState, isSame, openDocument, readServed, readState } from './file-state.ts';
import { follow } from './follow.ts';
import type { OwnChanges } from './own-changes.ts';
import { ReadConsent } from './read-consent.ts';
import { SeenTexts } from './seen-texts.ts';
import type { Place, WorkspacePlaces } from './workspace-places.ts';

/**
 * The files of the workspace as the user sees them: reading sees what is not saved yet, writing is an edit that can be
 * undone, that the user agrees to, and that never costs them what they have typed. For use inside an action.
 */
export class VscodeFileHost implements FileHost {
  readonly #places: WorkspacePlaces;
  readonly #consent: Consent;
  readonly #readConsent: ReadConsent;
  readonly #own: OwnChanges;
  readonly #seen = new SeenTexts();

  constructor(parts: { places: WorkspacePlaces; consent: Consent; own: OwnChanges }) {
    this.#places = parts.places;
    this.#consent = parts.consent;
    this.#readConsent = new ReadConsent(parts.consent);
    this.#own = parts.own;
  }

  async stat(path: string): Promise<FileStat> {
    const place = await this.#places.at(path);
    const document = openDocument(place);
    if (document?.isDirty) return { kind: 'file', size: Buffer.byteLength(document.getText()) };
    return place.saved.stat(place.path);
  }

  async readFile(path: string, limitBytes = Infinity): Promise<Uint8Array> {
    const scope = scopeOf(path);
    const place = await this.#places.at(path);
    await this.#readConsent.ask(scope, path);
    const served = await readServed(place, limitBytes);
    if (showsAll(scope.action) && openDocument(place)?.isDirty && served.length < limitBytes)
      this.#seen.add(scope.agent.sessionId, place.realUri.toString(), served);
    if (isView(scope.action)) follow(place.uri);
    return served;
  }

  async list(path: string): Promise<DirectoryEntry[]> {
    const place = await this.#places.at(path);
    await this.#readConsent.ask(scopeOf(path), path);
    return place.saved.list(place.path);
  }

  async canonicalPath(path: string): Promise<string> {
    return (await this.#places.at(path)).realUri.toString();
  }

  resolve(path: string, cwd: string): Promise<string> {
    return this.#places.resolve(path, cwd);
  }

  async writeFile(path: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<WrittenFile> {
    const scope = scopeOf(path);
    const place = await this.#places.at(path);
    refuseLate(scope, path);
    const before = await readState(place);
    refuseOtherEditor(place);
    this.#refuseConflict(scope, place, before, options.base);
    const wanted = await this.#agreed(scope, place, before, bytes);
    // Whatever the user was asked about is only good for what was there then.
    const now = await readState(place);
    refuseOtherEditor(place);
    if (!isSame(before, now)) throw changedMeanwhile(path);
    refuseLate(scope, path);
    const problems = scope.action.diagnostics
      ? problemsAround((uri) => this.#places.reallyHolds(uri))
      : undefined;
    const { sessionId } = scope.agent;
    const notes = await this.#own.by(sessionId, [place.uri, place.realUri], () =>
      applyText(place, now, wanted, { ...scope, createParents: options.createParents ?? false }),
    );
    if (wanted.isChanged) notes.unshift('The user changed your edit before accepting it.');
    const after = await readState(place);
    if (after.kind === 'missing')
      throw new FileError(
        'conflict',
        path,
        `Conflict: ${path} was written, and somebody deleted it at once.`,
      );
    if (after.kind === 'unsaved') this.#seen.add(sessionId, place.realUri.toString(), after.served);
    follow(place.uri);
    const diagnostics = await problems?.changes(scope);
    return { bytes: after.served, notes, ...(diagnostics && { diagnostics }) };
  }

  /** The agent is gone, and with it what it has seen. */
  forget(sessionId: string): void {
    this.#seen.forget(sessionId);
  }

  /** An edit must stand on what is there; what replaces all of a file, on what the agent has seen of unsaved text. */
  #refuseConflict(
    scope: ActionScope,
    { path, realUri }: Place,
    before: FileState,
    base: Uint8Array | undefined,
  ): void {
    if (base !== undefined) {
      if (before.kind === 'missing' || Buffer.compare(before.served, base) !== 0)
        throw changedMeanwhile(path);
      return;
    }
    if (before.kind !== 'unsaved') return;
    if (!this.#seen.has(scope.agent.sessionId, realUri.toString(), before.served)) throw unseenChanges(path);
  }

  async #agreed(
    scope: ActionScope,
    { path, uri }: Place,
    before: FileState,
    bytes: Uint8Array,
  ): Promise<Wanted> {
    const after = await textIn(bytes, before);
    if (after === undefined) {
      const title = `write ${path} (${bytes.length} bytes that are not text)`;
      const answer = await this.#consent.ask(scope, { capability: 'edit', title });
      if (answer.kind !== 'allowed') throw new FileError('refused', path, refusalText(answer));
      return { bytes, text: undefined, isChanged: false };
    }
    const answer = await this.#consent.edit(scope, { uri, before: await textOf(before), after: after.text });
    if (answer.kind !== 'allowed') throw new FileError('refused', path, refusalText(answer));
    if (!answer.isChanged) return { bytes, text: after.text, isChanged: false };
    const changed = await encodeText(answer.text, after.encoding);
    if (changed === undefined)
      throw new FileError(
        'other',
        path,
        `The user changed your edit of ${path} to text that ${after.encoding.name} cannot express. Nothing was written.`,
      );
    return { bytes: changed, text: answer.text, isChanged: true };
  }
}

/** What the user compares with. */
async function textOf(state: FileState): Promise<string | undefined> {
  if (state.kind === 'missing') return undefined;
  return state.text ?? (await decodeText(state.served))?.text ?? '';
}

/** The text in the new bytes, which have the form of those that were served before. */
async function textIn(bytes: Uint8Array, before: FileState): Promise<DecodedText | undefined> {
  const isUtf8Text = before.kind !== 'missing' && before.text !== undefined && isUtf8(bytes);
  if (!isUtf8Text) return decodeText(bytes);
  return { text: new TextDecoder().decode(bytes), encoding: { name: 'utf-8', byteOrderMark: false } };
}

/** It may have waited for another action on the same file, and its agent may have been answered already. */
function refuseLate({ signal, deadlineMs }: ActionScope, path: string): void {
  if (signal.aborted) throw new FileError('refused', path, refusalText({ kind: 'cancelled' }));
  if (performance.now() < deadlineMs) return;
  throw new FileError('other', path, `The time for this action was over before ${path} could be written.`);
}

/** Whether the agent gets to see all that is read; most edits only read to change. */
function showsAll(action: Action): boolean {
  if (!isView(action) || (action.args.view_range ?? []).length > 0) return false;
  return action.action === 'edit' || (action.args.start <= 0 && action.args.end === -1);
}

function isView(action: Action): action is ActionOf<'read'> | ActionOf<'edit'> {
  return action.action === 'read' || (action.action === 'edit' && action.args.command === 'view');
}

function scopeOf(path: string): ActionScope {
  const scope = currentAction();
  if (scope === undefined) throw new FileError('other', path, `No action is running that could use ${path}.`);
  return scope;
}
