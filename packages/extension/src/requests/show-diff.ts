import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { EditorParams, EditorResult } from '@fairlead/protocol';
import * as vscode from 'vscode';
import { otherColumn } from '../other-column.ts';
import { fileName } from './places.ts';

const scheme = 'fairlead-text';

type Side = EditorParams<'vscode/showDiff'>['left'];

/** Comparisons of files and of texts; the texts are kept as long as a tab shows them. */
export class Comparisons implements vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #registered = vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      provideTextDocumentContent: (uri) => this.#texts.get(uri.toString()),
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString())),
  );

  async show(
    params: EditorParams<'vscode/showDiff'>,
    resolve: (path: string) => Promise<vscode.Uri>,
  ): Promise<EditorResult<'vscode/showDiff'>> {
    const left = await this.#uriOf(params.left, 'before', resolve);
    const right = await this.#uriOf(params.right, 'after', resolve);
    const title = params.title ?? `${basename(fileName(left).path)} ↔ ${basename(fileName(right).path)}`;
    const options: vscode.TextDocumentShowOptions = params.focus
      ? { preview: false }
      : { preview: false, preserveFocus: true, viewColumn: otherColumn() };
    await vscode.commands.executeCommand('vscode.diff', left, right, title, options);
    return { title };
  }

  dispose(): void {
    this.#registered.dispose();
  }

  async #uriOf(
    side: Side,
    name: string,
    resolve: (path: string) => Promise<vscode.Uri>,
  ): Promise<vscode.Uri> {
    if (side.path !== undefined) return resolve(side.path);
    // The name is the last part of the path, so that its extension chooses the language.
    const path = `/${randomUUID()}/${(side.name ?? name).replaceAll(/[/\\?#]/g, '_')}`;
    const uri = vscode.Uri.from({ scheme, path });
    this.#texts.set(uri.toString(), side.text ?? '');
    return uri;
  }
}
