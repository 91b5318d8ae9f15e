export type Token = { start: number; end: number } & (
  | { kind: 'word' | 'operator' | 'redirect'; text: string }
  | { kind: 'newline'; hasHeredoc: boolean }
  /** From the start of a word to a command substitution in it; the word itself follows after `closeSubstitution`. */
  | { kind: 'substitution' }
  /** How a `((` turned out: a whole arithmetic command, or only the first parenthesis of a subshell. */
  | { kind: 'arithmetic' | 'subshell' }
  /** A whole `[[ … ]]`. */
  | { kind: 'condition' }
  | { kind: 'end' }
);
