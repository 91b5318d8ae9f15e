import type { Frame, Header, Position } from './frame.ts';
import { acceptInHeader } from './headers.ts';
import type { Lexer } from './lexer.ts';
import { afterCloser, type FrameKind, isDeclaration, isReserved, openedBy } from './reserved-words.ts';
import type { Token } from './token.ts';
import { UnparsableText } from './unparsable-text.ts';

const commandStarts = new Set<Position>(['empty', 'command', 'next', 'prefix']);
const compoundStarts = new Set<Position>([...commandStarts, 'body', 'functionName', 'coproc', 'coprocName']);
const complete = new Set<Position>([
  'assignments',
  'name',
  'arguments',
  'compound',
  'redirected',
  'coprocName',
]);

/** Follows the shell grammar token by token, with a stack of open lists instead of recursion. */
export class Grammar {
  readonly #lexer: Lexer;
  readonly #frames: Frame[] = [newFrame('script')];

  constructor(lexer: Lexer) {
    this.#lexer = lexer;
  }

  /** Meant for newlines: whether this one ended a command of the top level, or stands between two. */
  get isBetweenCommands(): boolean {
    return this.#frames.length === 1 && this.#frame.position === 'empty';
  }

  get allowsAssignment(): boolean {
    const { position, declares, header, redirect } = this.#frame;
    if (header || redirect !== undefined) return false;
    if (position === 'arguments' || position === 'name') return declares;
    return position === 'assignments' || commandStarts.has(position);
  }

  accept(token: Token): void {
    const frame = this.#frame;
    if (token.kind === 'substitution') this.#frames.push(newFrame('substitution'));
    else if (frame.redirect !== undefined) this.#acceptTarget(frame, frame.redirect, token);
    else if (frame.header) acceptInHeader(frame, token, this.#lexer, () => this.#pop());
    else if (token.kind === 'word') this.#acceptWord(frame, token.text);
    else if (token.kind === 'redirect') this.#acceptRedirect(frame, token.text);
    else if (token.kind === 'operator') this.#acceptOperator(frame, token.text);
    else if (token.kind === 'newline') this.#acceptNewline(frame);
    else if (token.kind === 'subshell') this.#frames.push(newFrame('subshell'));
    else frame.position = 'compound';
  }

  /** Checks that nothing is open any more. */
  end(): void {
    const { position, redirect, header } = this.#frame;
    const isComplete = complete.has(position) || ['empty', 'next', 'prefix'].includes(position);
    if (
      this.#frames.length > 1 ||
      header ||
      redirect !== undefined ||
      this.#lexer.hasOpenHeredoc ||
      !isComplete
    ) {
      throw new UnparsableText();
    }
  }

  get #frame(): Frame {
    return this.#frames.at(-1)!;
  }

  #pop(): void {
    this.#frames.pop();
    this.#frame.position = 'compound';
  }

  #acceptTarget(frame: Frame, redirect: string, token: Token): void {
    if (token.kind !== 'word') throw new UnparsableText();
    if (redirect === '<<' || redirect === '<<-') this.#lexer.addHeredoc(redirect, token.text);
    frame.redirect = undefined;
  }

  #acceptWord(frame: Frame, word: string): void {
    const { position } = frame;
    if (position === 'arguments') return;
    if (position === 'name') frame.position = 'arguments';
    else if (position === 'assignments') this.#startSimple(frame, word, 'arguments');
    else if (position === 'compound') this.#closeByWord(frame, word);
    else if (position === 'function') frame.position = 'functionName';
    else if (compoundStarts.has(position) && this.#openCompound(word)) return;
    else if (commandStarts.has(position)) this.#startCommand(frame, word);
    else if (position === 'coproc' && !isReserved(word)) this.#startSimple(frame, word, 'coprocName');
    else if (position === 'coprocName') frame.position = 'arguments';
    else throw new UnparsableText();
  }

  #startCommand(frame: Frame, word: string): void {
    if (word === 'function' || word === 'coproc') frame.position = word;
    else if (word === 'time' || word === '!') frame.position = 'prefix';
    else if (frame.position === 'prefix' && (word === '-p' || word === '--')) return;
    else if (isReserved(word)) this.#closeByWord(frame, word);
    else this.#startSimple(frame, word, 'name');
  }

  #startSimple(frame: Frame, word: string, position: 'name' | 'arguments' | 'coprocName'): void {
    const isAssignment = /^[A-Za-z_]\w*(?:\[.{0,1000}\])?\+?=/s.test(word);
    frame.declares = isDeclaration(word);
    frame.position = isAssignment ? 'assignments' : position;
  }

  #openCompound(word: string): boolean {
    const kind = openedBy(word);
    if (!kind) return false;
    if (kind === 'condition') this.#lexer.openCondition();
    else this.#frames.push(newFrame(kind));
    return true;
  }

  #closeByWord(frame: Frame, word: string): void {
    const next = afterCloser(frame.kind, word);
    const { position } = frame;
    const mayClose =
      position === 'next' || position === 'compound' || (position === 'empty' && word === 'esac');
    if (!next || !mayClose) throw new UnparsableText();
    if (next === 'closed') this.#pop();
    else this.#frames[this.#frames.length - 1] = newFrame(next);
  }

  #acceptRedirect(frame: Frame, operator: string): void {
    const { position } = frame;
    if (commandStarts.has(position)) frame.position = 'assignments';
    else if (position === 'name' || position === 'coproc' || position === 'coprocName')
      frame.position = 'arguments';
    else if (position === 'compound') frame.position = 'redirected';
    else if (!complete.has(position)) throw new UnparsableText();
    frame.redirect = operator;
  }

  #acceptOperator(frame: Frame, operator: string): void {
    switch (operator) {
      case '(':
        return this.#acceptOpenParen(frame);
      case ')':
        return this.#acceptCloseParen(frame);
      case ';':
        if (!complete.has(frame.position) && frame.position !== 'prefix') throw new UnparsableText();
        return this.#separate(frame, 'next');
      case '&':
        return this.#separate(frame, 'next', complete);
      case '&&':
      case '||':
      case '|':
      case '|&':
        return this.#separate(frame, 'command', complete);
      default:
        return this.#acceptClauseEnd(frame);
    }
  }

  #separate(frame: Frame, position: 'next' | 'command', from?: Set<Position>): void {
    if (from && !from.has(frame.position)) throw new UnparsableText();
    frame.position = position;
    frame.declares = false;
  }

  #acceptOpenParen(frame: Frame): void {
    const { position } = frame;
    if (position === 'name' || (position === 'functionName' && this.#lexer.isFollowedBy(')'))) {
      frame.position = 'parens';
    } else if (!compoundStarts.has(position)) {
      throw new UnparsableText();
    } else if (!this.#lexer.openArithmetic()) {
      this.#frames.push(newFrame('subshell'));
    }
  }

  #acceptCloseParen(frame: Frame): void {
    const { kind, position } = frame;
    if (position === 'parens') {
      frame.position = 'body';
      return;
    }
    const isEmptySubstitution = kind === 'substitution' && position === 'empty';
    if (!complete.has(position) && position !== 'next' && !isEmptySubstitution) throw new UnparsableText();
    if (kind === 'subshell') return this.#pop();
    if (kind !== 'substitution') throw new UnparsableText();
    this.#frames.pop();
    this.#lexer.closeSubstitution();
  }

  #acceptClauseEnd(frame: Frame): void {
    const { kind, position } = frame;
    const mayEnd = complete.has(position) || position === 'next' || position === 'empty';
    if (kind !== 'clause' || !mayEnd) throw new UnparsableText();
    frame.header = 'pattern';
    frame.position = 'empty';
  }

  #acceptNewline(frame: Frame): void {
    const { position } = frame;
    if (['empty', 'command', 'next', 'body', 'functionName'].includes(position)) {
      if (position !== 'next') return;
    } else if (!complete.has(position) && position !== 'prefix') {
      throw new UnparsableText();
    }
    this.#separate(frame, 'next');
    if (frame.kind === 'script') frame.position = 'empty';
  }
}

function newFrame(kind: FrameKind): Frame {
  return { kind, position: 'empty', redirect: undefined, header: firstHeader(kind), declares: false };
}

function firstHeader(kind: FrameKind): Header | undefined {
  if (kind === 'for' || kind === 'select') return 'variable';
  return kind === 'clause' ? 'subject' : undefined;
}
