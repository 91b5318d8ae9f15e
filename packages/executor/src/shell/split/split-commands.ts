import { Grammar } from './grammar.ts';
import { Lexer } from './lexer.ts';
import { UnparsableText } from './unparsable-text.ts';

/**
 * The commands of a bash text that newlines separate at its top level. Comments belong to the command before
 * them, the first ones to the first command. A text that bash would refuse is one command: bash says why.
 */
export function splitCommands(text: string): string[] {
  if (!text.includes('\n')) return [text];
  try {
    return slices(text, findCommands(text));
  } catch (error) {
    if (error instanceof UnparsableText) return [text];
    throw error;
  }
}

interface CommandSpan {
  start: number;
  /** Behind the last token; comments may follow. */
  end: number;
}

function findCommands(text: string): CommandSpan[] {
  const lexer = new Lexer(text);
  const grammar = new Grammar(lexer);
  const commands: CommandSpan[] = [];
  let current: CommandSpan | undefined;
  for (;;) {
    const token = lexer.next(grammar.allowsAssignment);
    if (token.kind === 'end') break;
    grammar.accept(token);
    if (token.kind !== 'newline' || token.hasHeredoc) {
      if (!current) commands.push((current = { start: token.start, end: token.end }));
      current.end = token.end;
    }
    if (token.kind === 'newline' && grammar.isBetweenCommands) current = undefined;
  }
  grammar.end();
  return commands;
}

function slices(text: string, commands: CommandSpan[]): string[] {
  if (commands.length === 0) return [text];
  return commands.map((command, index) => {
    const start = index === 0 ? text.search(/[^ \t\n]/) : command.start;
    const next = commands[index + 1]?.start ?? text.length;
    return text.slice(start, withoutTrailingBlanks(text, command.end, next));
  });
}

/** Blanks that belong to the last token (`\ `, a here-document) stay. */
function withoutTrailingBlanks(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && ' \t\n'.includes(text.charAt(end - 1))) end -= 1;
  return end;
}
