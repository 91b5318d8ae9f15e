import { FileError } from '@fairlead/executor';
import { type Consent, refusalText } from '../consent/consent.ts';
import type { ActionScope } from '../sessions/action-scope.ts';

/** One action reads several times; its user is asked once. */
export class ReadConsent {
  readonly #consent: Consent;
  readonly #answers = new WeakMap<ActionScope, ReturnType<Consent['ask']>>();

  constructor(consent: Consent) {
    this.#consent = consent;
  }

  async ask(scope: ActionScope, path: string): Promise<void> {
    const asked =
      this.#answers.get(scope) ?? this.#consent.ask(scope, { capability: 'read', title: `read ${path}` });
    this.#answers.set(scope, asked);
    const answer = await asked;
    if (answer.kind !== 'allowed') throw new FileError('refused', path, refusalText(answer));
  }
}
