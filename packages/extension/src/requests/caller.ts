import type { ActionScope } from '../sessions/action-scope.ts';

/** Who asks the editor for something. */
export interface Caller {
  /** For consent, for the record, and for the end of the request. A script on the bridge has a scope of its own. */
  scope: ActionScope;
  /** A program that the user started, and not an agent. */
  isScript: boolean;
  /** Whose notifications of progress these are; they close when this caller leaves. */
  callerId: string;
  /** Gets the answer of a language model as it is made. */
  onPart?: (text: string) => void;
}
