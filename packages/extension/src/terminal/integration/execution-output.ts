const longestSequence = 64 * 1024;

/**
 * What a command printed, from what VS Code hands out of it: without the marks of the shell integration and what stands
 * before the first or behind the last of them. A mark may come in pieces.
 */
export class ExecutionOutput {
  #held = '';
  #isOver = false;
  /** Of the command's own report, behind all that it printed. */
  exitCode: number | undefined;

  /** The text that can be shown so far. */
  feed(data: string): string {
    let text = this.#held + data;
    this.#held = '';
    let shown = '';
    while (text !== '') {
      const start = text.search(/\x1b(?:\](?:6(?:3(?:3(?:;|$)|$)|9(?:7(?:;|$)|$)|$)|$)|$)/);
      if (start === -1) return this.#isOver ? shown : shown + text;
      if (!this.#isOver) shown += text.slice(0, start);
      const mark = /^\x1b\](633|697);([^\x07\x1b]*)(?:\x07|\x1b\\)/.exec(text.slice(start));
      if (mark === null) {
        const rest = text.slice(start);
        if (isUnfinished(rest)) {
          this.#held = rest;
          return shown;
        }
        // Not a mark after all.
        if (!this.#isOver) shown += rest.slice(0, 1);
        text = rest.slice(1);
        continue;
      }
      const [whole, number, body = ''] = mark;
      if (number === '697') this.exitCode = codeOf(body) ?? this.exitCode;
      else if (body === 'C' || body.startsWith('C;')) shown = '';
      else if (body === 'D' || body.startsWith('D;')) this.#isOver = true;
      text = text.slice(start + whole.length);
    }
    return shown;
  }
}

function isUnfinished(text: string): boolean {
  return text.length < longestSequence && !/[\x07]|\x1b\\|.\x1b[^\\]/s.test(text);
}

function codeOf(report: string): number | undefined {
  const code = /^end;(\d+)$/.exec(report)?.[1];
  return code === undefined ? undefined : Number(code);
}
