import * as vscode from 'vscode';
import { plainText } from '../../consent/plain-text.ts';
import type { Kept } from '../../kept.ts';
import type { Question, QuestionResult } from './question.ts';
import { openInput, type OpenInput } from './question-input.ts';
import { type Askers, Questions, type Submitted } from './questions.ts';

/** Shows the questions: one input at a time, a notification for what is put aside, and a count in the status bar. */
export class QuestionDesk implements vscode.Disposable {
  readonly #questions: Questions;
  readonly #status = vscode.window.createStatusBarItem(
    'fairlead.questions',
    vscode.StatusBarAlignment.Left,
    90,
  );
  /** To be shown one after the other. */
  readonly #queue: Question[] = [];
  #shown: { question: Question; input: OpenInput } | undefined;

  constructor(store: Kept) {
    this.#questions = new Questions(store, () => this.#refresh());
    this.#status.name = 'Fairlead: Questions';
    this.#status.command = 'fairlead.answerQuestions';
    this.#refresh();
  }

  ask(question: Question, signal: AbortSignal): Promise<QuestionResult> {
    const isKnown = this.#questions.isOpen(question);
    const result = this.#questions.ask(question, signal);
    if (!isKnown && this.#questions.isOpen(question)) {
      // An agent's question waits until the user turns to it: it must not take the keys of who is typing.
      if (question.isScript) this.#show(question);
      else this.#putAside(question);
    }
    return result;
  }

  /** An answer that did not come from the window. */
  submit(askerId: string, questionId: string, answer: unknown): Submitted {
    return this.#questions.answer({ askerId, questionId }, answer);
  }

  /** Takes away what a session asks, without an answer: it asks again elsewhere. */
  withdraw(askerId: string): void {
    this.#questions.withdraw(askerId);
  }

  end(askerId: string): void {
    this.#questions.end(askerId);
  }

  /** After a reload of the window: says that questions of before wait. */
  restore(scripts: Askers): void {
    const waiting = this.#questions.restore(scripts);
    const [first] = waiting;
    if (first === undefined) return;
    if (waiting.length === 1) return this.#putAside(first);
    void this.#offerList(`${waiting.length} questions wait for your answer.`);
  }

  /** The palette's list of all that wait. */
  async choose(): Promise<void> {
    const waiting = this.#questions.list();
    if (waiting.length === 0)
      return void vscode.window.showInformationMessage('No question waits for an answer.');
    const [only] = waiting;
    if (only !== undefined && waiting.length === 1) return this.#show(only);
    const items = waiting.map((question) => ({
      label: plainText(question.message),
      description: `${question.who}, ${ageOf(question)}`,
      buttons: [dismissButton],
      question,
    }));
    const picker = vscode.window.createQuickPick<(typeof items)[number]>();
    picker.title = 'Questions that wait for your answer';
    picker.items = items;
    picker.onDidTriggerItemButton(({ item }) => {
      this.#questions.dismiss(item.question);
      picker.items = picker.items.filter(({ question }) => question !== item.question);
    });
    picker.onDidAccept(() => {
      const [chosen] = picker.selectedItems;
      picker.hide();
      if (chosen !== undefined) this.#show(chosen.question);
    });
    picker.onDidHide(() => picker.dispose());
    picker.show();
  }

  dispose(): void {
    this.#questions.dispose();
    this.#queue.length = 0;
    this.#shown?.input.close();
    this.#status.dispose();
  }

  #show(question: Question): void {
    if (!this.#questions.isOpen(question) || this.#shown?.question === question) return;
    if (this.#shown !== undefined) {
      if (!this.#queue.includes(question)) this.#queue.push(question);
      return;
    }
    const input = openInput(question);
    this.#shown = { question, input };
    void this.#settle(question, input);
  }

  async #settle(question: Question, input: OpenInput): Promise<void> {
    const answer = await input.answer;
    this.#shown = undefined;
    if (this.#questions.isOpen(question)) {
      if (answer === undefined) this.#putAside(question);
      else this.#questions.answer(question, answer);
    }
    const next = this.#queue.splice(0).filter((queued) => this.#questions.isOpen(queued));
    for (const queued of next) this.#show(queued);
  }

  #putAside(question: Question): void {
    const text = plainText(`${question.who} asks: ${question.message}`);
    void vscode.window.showInformationMessage(text, 'Answer', 'Dismiss').then((chosen) => {
      if (chosen === undefined) return;
      if (!this.#questions.isOpen(question))
        return void vscode.window.showInformationMessage('This question needs no answer any more.');
      if (chosen === 'Answer') this.#show(question);
      else this.#questions.dismiss(question);
    });
  }

  async #offerList(text: string): Promise<void> {
    if ((await vscode.window.showInformationMessage(text, 'Show')) === 'Show') await this.choose();
  }

  #refresh(): void {
    const waiting = this.#questions?.list() ?? [];
    if (this.#shown !== undefined && !this.#questions.isOpen(this.#shown.question)) this.#shown.input.close();
    this.#status.text = `$(question) ${waiting.length}`;
    this.#status.tooltip = waiting.map(({ who, message }) => `${who}: ${plainText(message)}`).join('\n');
    if (waiting.length > 0) this.#status.show();
    else this.#status.hide();
  }
}

const dismissButton: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('close'),
  tooltip: 'Dismiss: whoever asks goes on without an answer',
};

function ageOf({ askedAt }: Question): string {
  const minutes = Math.floor((Date.now() - askedAt) / 60_000);
  return minutes < 1 ? 'just now' : `${minutes} min ago`;
}
