import type { EditorResult } from '@fairlead/protocol';

type Answer = EditorResult<'vscode/chat'>;

/** The pieces of an answer as they come. */
export interface ChatStream extends AsyncIterable<string> {
  /** All of it. */
  readonly answer: Promise<Answer>;
}

/** `ask` gets a signal that is aborted when whoever reads the pieces stops. */
export function openChatStream(
  callerSignal: AbortSignal | undefined,
  ask: (onPart: (text: string) => void, signal: AbortSignal) => Promise<Answer>,
): ChatStream {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(callerSignal === undefined ? [] : [callerSignal])]);
  const pieces: string[] = [];
  let isOver = false;
  let wake: (() => void) | undefined;
  const onPart = (text: string) => {
    pieces.push(text);
    wake?.();
  };
  const answer = ask(onPart, signal).finally(() => {
    isOver = true;
    wake?.();
  });
  // Who only reads the pieces gets the error there.
  answer.catch(() => undefined);
  async function* read(): AsyncGenerator<string> {
    try {
      for (;;) {
        const piece = pieces.shift();
        if (piece !== undefined) yield piece;
        else if (isOver) break;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
      await answer;
    } finally {
      stop.abort();
    }
  }
  return { answer, [Symbol.asyncIterator]: read };
}
