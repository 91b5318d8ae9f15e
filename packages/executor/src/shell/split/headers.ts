import type { Frame, Header } from './frame.ts';
import type { Lexer } from './lexer.ts';
import type { Token } from './token.ts';
import { UnparsableText } from './unparsable-text.ts';

export function acceptInHeader(frame: Frame, token: Token, lexer: Lexer, close: () => void): void {
  const header = frame.header!;
  if (header === 'pattern' && token.kind === 'word' && token.text === 'esac') return close();
  if (header === 'variable' && frame.kind === 'for' && isOperator(token, '(')) {
    if (!lexer.openArithmetic()) throw new UnparsableText();
    return;
  }
  if (token.kind === 'arithmetic') {
    frame.header = 'expressions';
    return;
  }
  const next = token.kind === 'word' ? afterWord(header, token.text) : afterOther(header, token);
  if (next === 'clause' || next === 'do list' || next === 'group') startList(frame, next);
  else if (next) frame.header = next;
  else throw new UnparsableText();
}

type Next = Header | 'clause' | 'do list' | 'group' | undefined;

function afterWord(header: Header, word: string): Next {
  switch (header) {
    case 'variable':
      return 'variableRead';
    case 'variableRead':
    case 'variableLine':
      if (word === 'in') return 'words';
      return word === 'do' ? 'do list' : undefined;
    case 'words':
      return 'words';
    case 'expressions':
    case 'do':
      if (word === 'do') return 'do list';
      return word === '{' ? 'group' : undefined;
    case 'subject':
      return 'in';
    case 'in':
      return word === 'in' ? 'pattern' : undefined;
    case 'pattern':
    case 'patternWord':
      return 'patternRead';
    case 'patternRead':
      return undefined;
  }
}

function afterOther(header: Header, token: Token): Next {
  const isNewline = token.kind === 'newline';
  switch (header) {
    case 'variableRead':
      if (isNewline) return 'variableLine';
      return isOperator(token, ';') ? 'do' : undefined;
    case 'words':
    case 'expressions':
      return isNewline || isOperator(token, ';') ? 'do' : undefined;
    case 'pattern':
      if (isOperator(token, '(')) return 'patternWord';
      return isNewline ? header : undefined;
    case 'patternRead':
      if (isOperator(token, '|')) return 'patternWord';
      return isOperator(token, ')') ? 'clause' : undefined;
    case 'variableLine':
    case 'do':
    case 'in':
      return isNewline ? header : undefined;
    case 'variable':
    case 'subject':
    case 'patternWord':
      return undefined;
  }
}

function startList(frame: Frame, list: 'clause' | 'do list' | 'group'): void {
  frame.kind = list === 'do list' ? 'do' : list;
  frame.position = 'empty';
  frame.header = undefined;
}

function isOperator(token: Token, text: string): boolean {
  return token.kind === 'operator' && token.text === text;
}
