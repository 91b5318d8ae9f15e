import type { FrameKind } from './reserved-words.ts';

/** A list of commands that is open, and what may come next in it. */
export interface Frame {
  kind: FrameKind;
  position: Position;
  /** The redirection whose target is the next word. */
  redirect: string | undefined;
  /** Set before the list itself starts: `for x in …`, `case x in …`. */
  header: Header | undefined;
  /** The current command takes assignments as arguments (`declare a=(1)`). */
  declares: boolean;
}

export type Position =
  /** No command yet; newlines may come. */
  | 'empty'
  /** Behind `&&`, `||`, `|`: a command must come, newlines may. */
  | 'command'
  /** Behind `;`, `&` or a newline. */
  | 'next'
  /** Behind `!` or `time`. */
  | 'prefix'
  /** In a simple command that has only assignments and redirections so far. */
  | 'assignments'
  /** Behind the first word, which `(` would make a function's name. */
  | 'name'
  | 'arguments'
  | 'compound'
  /** A compound command with redirections: no reserved word may follow. */
  | 'redirected'
  | 'function'
  | 'functionName'
  /** In `name (`. */
  | 'parens'
  /** The compound command of a function must come; newlines may. */
  | 'body'
  | 'coproc'
  | 'coprocName';

/** Where the part of a compound command stands that is not a list of commands. */
export type Header =
  /** `for` and `select`: the name, or `((`. */
  | 'variable'
  | 'variableRead'
  /** The name and a newline. */
  | 'variableLine'
  | 'words'
  /** Behind `for ((…))`. */
  | 'expressions'
  | 'do'
  /** `case`: the word, then `in`, then the patterns of each clause. */
  | 'subject'
  | 'in'
  | 'pattern'
  | 'patternWord'
  | 'patternRead';
