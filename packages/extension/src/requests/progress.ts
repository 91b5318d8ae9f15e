import type { EditorParams, EditorResult } from '@fairlead/protocol';
import * as vscode from 'vscode';
import { plainText } from '../consent/plain-text.ts';
import { RequestError } from './request-error.ts';

interface Shown {
  percent: number;
  isCancelled: boolean;
  report(value: { message?: string; increment?: number }): void;
  close(): void;
}

/** Notifications of progress, each of one caller. */
export class ProgressBars {
  readonly #shown = new Map<string, Map<string, Shown>>();

  update(
    callerId: string,
    who: string,
    params: EditorParams<'vscode/progress'>,
  ): EditorResult<'vscode/progress'> {
    const { progressId, message, percent, done } = params;
    const bar =
      this.#shown.get(callerId)?.get(progressId) ?? (done ? undefined : this.#open(callerId, who, params));
    if (bar === undefined) return { isCancelled: false };
    const increment = percent === undefined ? 0 : Math.max(0, percent - bar.percent);
    bar.percent += increment;
    if (!done)
      bar.report({
        ...(message !== undefined && { message: plainText(message) }),
        ...(percent !== undefined && { increment }),
      });
    else this.#close(callerId, progressId);
    return { isCancelled: bar.isCancelled };
  }

  /** This caller will not close them itself any more. */
  leave(callerId: string): void {
    for (const bar of this.#shown.get(callerId)?.values() ?? []) bar.close();
    this.#shown.delete(callerId);
  }

  dispose(): void {
    for (const callerId of this.#shown.keys()) this.leave(callerId);
  }

  #open(callerId: string, who: string, params: EditorParams<'vscode/progress'>): Shown {
    if (params.title === undefined)
      throw new RequestError(
        'invalid_params',
        'params.title: the first request with a progressId needs a title',
      );
    const title = plainText(`${params.title} (${who})`);
    const { progressId, cancellable } = params;
    const closed = Promise.withResolvers<void>();
    const early: { message?: string; increment?: number }[] = [];
    const bar: Shown = {
      percent: 0,
      isCancelled: false,
      report: (value) => early.push(value),
      close: closed.resolve,
    };
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable };
    void vscode.window.withProgress(options, (progress, token) => {
      token.onCancellationRequested(() => {
        bar.isCancelled = true;
      });
      for (const value of early) progress.report(value);
      bar.report = (value) => progress.report(value);
      return closed.promise;
    });
    const own = this.#shown.get(callerId) ?? new Map<string, Shown>();
    this.#shown.set(callerId, own.set(progressId, bar));
    return bar;
  }

  #close(callerId: string, progressId: string): void {
    const own = this.#shown.get(callerId);
    own?.get(progressId)?.close();
    own?.delete(progressId);
    if (own?.size === 0) this.#shown.delete(callerId);
  }
}
