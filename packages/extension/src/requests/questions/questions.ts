import { type Answer, isAnswerTo } from '@fairlead/protocol';
import { z } from 'zod';
import type { Kept } from '../../kept.ts';
import { RequestError } from '../request-error.ts';
import { keyOf, type Question, type QuestionName, type QuestionResult } from './question.ts';
import { keptMs, StoredQuestions } from './stored-questions.ts';

export type Submitted = 'accepted' | 'unknown' | 'answered-already' | 'does-not-fit';

/** The programs that were going on when this extension host began. */
export interface Askers {
  here: ReadonlySet<string>;
  /** In another window that shows the same workspace. */
  elsewhere: ReadonlySet<string>;
}

interface Waiter {
  tell(result: QuestionResult | RequestError): void;
  /** Is told nothing, and takes nothing away when it leaves. */
  forget(): void;
}

interface Open {
  question: Question;
  /** Nobody waits for a question of before a reload until its script has come back. */
  waiters: Set<Waiter>;
  timer: NodeJS.Timeout | undefined;
}

const rememberedAnswers = 1000;

/** All questions of this window that wait for the user. Knows neither VS Code nor how a question looks. */
export class Questions {
  readonly #store: StoredQuestions;
  readonly #changed: () => void;
  readonly #open = new Map<string, Open>();
  readonly #answered = new Set<string>();

  constructor(store: Kept, changed: () => void) {
    this.#store = new StoredQuestions(store);
    this.#changed = changed;
  }

  /**
   * After a reload of the window: takes up what its scripts have asked, and answers those that wait. An agent's question is
   * taken up when the agent asks again.
   */
  restore({ here, elsewhere }: Askers): Question[] {
    const taken = this.#store.read().filter((question) => {
      return here.has(question.askerId) && !this.#open.has(keyOf(question));
    });
    for (const question of taken) this.#add(question);
    this.#keep(({ isScript, askerId, askedAt }) =>
      isScript ? !elsewhere.has(askerId) : Date.now() - askedAt > keptMs,
    );
    const now = Date.now();
    return taken.filter(({ answer, expiresAt }) => answer === null && (expiresAt ?? Infinity) > now);
  }

  /** Those without an answer, oldest first. */
  list(): Question[] {
    return [...this.#open.values()].map(({ question }) => question).filter(({ answer }) => answer === null);
  }

  isOpen(question: QuestionName): boolean {
    return this.#open.get(keyOf(question))?.question.answer === null;
  }

  /** Waits for the answer; a question that is known already is not asked a second time. */
  ask(asked: Question, signal: AbortSignal): Promise<QuestionResult> {
    const key = keyOf(asked);
    const known = this.#open.get(key) ?? this.#takeUp(key);
    if (known?.question.answer) {
      this.#remove(key);
      const result = resultOf(asked, known.question.answer);
      return result instanceof RequestError ? Promise.reject(result) : Promise.resolve(result);
    }
    const { waiters } = known ?? this.#add(asked);
    return new Promise((resolve, reject) => {
      const forget = () => signal.removeEventListener('abort', leave);
      const tell = (result: QuestionResult | RequestError) => {
        forget();
        if (result instanceof RequestError) reject(result);
        else resolve(result);
      };
      const waiter: Waiter = { tell, forget };
      const leave = () => {
        waiters.delete(waiter);
        tell(new RequestError('cancelled', 'The question was withdrawn before it was answered.'));
        if (waiters.size === 0) this.#remove(key);
      };
      waiters.add(waiter);
      signal.addEventListener('abort', leave);
      if (signal.aborted) leave();
      else if (known === undefined) this.#keep();
    });
  }

  answer(question: QuestionName, answer: unknown): Submitted {
    const key = keyOf(question);
    const open = this.#open.get(key);
    if (open === undefined) return this.#answered.has(key) ? 'answered-already' : 'unknown';
    if (open.question.answer !== null) return 'answered-already';
    if (!isAnswer(open.question, answer)) return 'does-not-fit';
    this.#conclude(key, open, { answer, outcome: 'answered' });
    return 'accepted';
  }

  dismiss(question: QuestionName): void {
    const open = this.#open.get(keyOf(question));
    if (open !== undefined) this.#conclude(keyOf(question), open, { answer: null, outcome: 'dismissed' });
  }

  /** The run or session is over: nobody will ask for these answers. */
  end(askerId: string): void {
    for (const [key, { question, waiters }] of this.#open) {
      if (question.askerId !== askerId) continue;
      this.#remove(key);
      for (const { tell } of waiters)
        tell(new RequestError('cancelled', 'The program that asked has ended.'));
    }
    // Also what it had asked before a reload, and did not ask again.
    this.#keep((question) => question.askerId === askerId);
  }

  /** Shown no longer, and nobody is told: the same is asked again after a reload, or in another window. */
  withdraw(askerId: string): void {
    for (const [key, { question, waiters }] of this.#open) {
      if (question.askerId !== askerId) continue;
      for (const { forget } of waiters) forget();
      this.#remove(key);
    }
  }

  /** For the end of the extension host: what waits stays in the store. */
  dispose(): void {
    for (const { timer } of this.#open.values()) clearTimeout(timer);
    this.#open.clear();
  }

  /** What was asked before the extension host ended, by somebody who now asks for the same. */
  #takeUp(key: string): Open | undefined {
    const stored = this.#store.read().find((question) => keyOf(question) === key);
    return stored === undefined ? undefined : this.#add(stored);
  }

  #add(question: Question): Open {
    const key = keyOf(question);
    const leftMs = question.expiresAt === null ? undefined : question.expiresAt - Date.now();
    const timer = leftMs === undefined ? undefined : setTimeout(() => this.#expire(key), Math.max(0, leftMs));
    const open: Open = { question, waiters: new Set(), timer };
    this.#open.set(key, open);
    return open;
  }

  #expire(key: string): void {
    const open = this.#open.get(key);
    if (open?.question.answer === null) this.#conclude(key, open, { answer: null, outcome: 'expired' });
  }

  #conclude(key: string, open: Open, answer: NonNullable<Question['answer']>): void {
    this.#answered.add(key);
    if (this.#answered.size > rememberedAnswers) this.#answered.delete(this.#answered.values().next().value!);
    if (open.waiters.size === 0) {
      clearTimeout(open.timer);
      open.question.answer = answer;
      this.#keep();
      return;
    }
    this.#remove(key);
    for (const { tell } of open.waiters) tell(resultOf(open.question, answer));
  }

  #remove(key: string): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    clearTimeout(open.timer);
    this.#open.delete(key);
    this.#keep((question) => keyOf(question) === key);
  }

  #keep(isGone?: (question: Question) => boolean): void {
    this.#store.write(
      [...this.#open.values()].map(({ question }) => question),
      isGone,
    );
    this.#changed();
  }
}

/** When the time is over the default is that of who asks now: that of a password is not kept. */
function resultOf(
  { questionId, default: fallback }: Question,
  { answer, outcome }: NonNullable<Question['answer']>,
): QuestionResult | RequestError {
  if (outcome !== 'expired') return { questionId, answer, outcome };
  if (fallback !== null) return { questionId, answer: fallback, outcome: 'default' };
  return new RequestError('timeout', 'The user did not answer in time. Give a default to go on without.');
}

/** Of the right kind, and for a choice one of those that were given. */
function isAnswer({ kind, choices }: Question, given: unknown): given is Answer {
  const answer = z.union([z.string(), z.array(z.string()), z.boolean()]).safeParse(given);
  if (!answer.success || !isAnswerTo(kind, answer.data)) return false;
  if (kind !== 'pick' && kind !== 'multiPick') return true;
  const labels = new Set(choices.map(({ label }) => label));
  return [answer.data].flat().every((label) => typeof label === 'string' && labels.has(label));
}
