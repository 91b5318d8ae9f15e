import { z } from 'zod';
import type { Kept } from '../../kept.ts';
import { keyOf, type Question, storedQuestion } from './question.ts';

/** An answer that nobody has fetched by then is dropped, and the question of an agent that has not come back. */
export const keptMs = 86_400_000;

/** The questions of all windows that show this workspace, as they are kept over a reload. */
export class StoredQuestions {
  readonly #store: Kept;

  constructor(store: Kept) {
    this.#store = store;
  }

  read(): Question[] {
    const stored = z.array(storedQuestion).safeParse(this.#store.get());
    const questions = stored.success ? stored.data : [];
    return questions.filter(({ answer, askedAt }) => answer === null || Date.now() - askedAt < keptMs);
  }

  /** What is neither held here nor gone may be another window's, and stays as it is. */
  write(held: readonly Question[], isGone: (question: Question) => boolean = () => false): void {
    const heldKeys = new Set(held.map(keyOf));
    const others = this.read().filter((question) => !heldKeys.has(keyOf(question)) && !isGone(question));
    // A password is for this process only, also one that is only proposed.
    const storable = held
      .filter(({ isPassword, answer }) => !isPassword || answer === null || answer.answer === null)
      .map((question) => (question.isPassword ? { ...question, default: null } : question));
    this.#store.set([...others, ...storable]);
  }
}
