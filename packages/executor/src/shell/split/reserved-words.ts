/** What a list of commands belongs to. A `for` or `select` list is one only after its header. */
export type FrameKind =
  | 'script'
  | 'substitution'
  | 'subshell'
  | 'group'
  | 'if'
  | 'then'
  | 'else'
  | 'while'
  | 'for'
  | 'select'
  | 'do'
  | 'clause';

/** What the word opens where a command may start. */
export function openedBy(word: string): FrameKind | 'condition' | undefined {
  return isShort(word) ? openers.get(word) : undefined;
}

/** What follows when the word ends a list of this kind; undefined when it does not end it. */
export function afterCloser(kind: FrameKind, word: string): FrameKind | 'closed' | undefined {
  return closers[kind]?.[word];
}

/** A reserved word that cannot start a command. */
export function isReserved(word: string): boolean {
  return isShort(word) && reserved.has(word);
}

/** A command that takes assignments as arguments. */
export function isDeclaration(word: string): boolean {
  return isShort(word) && declarations.has(word);
}

/** No word below is longer. Looking up words of any length would cost their length each time. */
function isShort(word: string): boolean {
  return word.length <= 8;
}

const openers = new Map<string, FrameKind | 'condition'>([
  ['if', 'if'],
  ['while', 'while'],
  ['until', 'while'],
  ['for', 'for'],
  ['select', 'select'],
  ['case', 'clause'],
  ['{', 'group'],
  ['[[', 'condition'],
]);

const closers: Partial<Record<FrameKind, Record<string, FrameKind | 'closed'>>> = {
  group: { '}': 'closed' },
  if: { then: 'then' },
  then: { elif: 'if', else: 'else', fi: 'closed' },
  else: { fi: 'closed' },
  while: { do: 'do' },
  do: { done: 'closed' },
  clause: { esac: 'closed' },
};

const reserved = new Set(['then', 'elif', 'else', 'fi', 'do', 'done', 'esac', '}', 'in', ']]']);

const declarations = new Set('alias declare eval export let local readonly typeset'.split(' '));
