import type { EditArgs } from '@fairlead/protocol';

/** One command and its answer; `{p}` in a text is the file's path, `{d}` its directory. */
export interface Row {
  what: string;
  command: string;
  file?: string | Uint8Array;
  path?: string;
  args?: Partial<EditArgs>;
  content: string;
  diff?: string;
  after?: string;
}

export const tenLines = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n';
