/** Where a text stops being JSON: the index of the first character that cannot stand there. */
export function jsonErrorPosition(text: string): number {
  const end = value(text, 0);
  return end < 0 ? -end - 1 : skipBlanks(text, end);
}

const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const maximumDepth = 1000;

/** The index after the value that starts here; for an error at `i`, `-i - 1`. */
function value(text: string, from: number, depth = 0): number {
  const start = skipBlanks(text, from);
  const open = text[start];
  if (depth > maximumDepth) return failAt(start);
  if (open === '{') return sequence(text, start + 1, '}', (at) => member(text, at, depth + 1));
  if (open === '[') return sequence(text, start + 1, ']', (at) => value(text, at, depth + 1));
  return open === '"' ? string(text, start) : token(scalar, text, start);
}

function member(text: string, from: number, depth: number): number {
  const name = string(text, skipBlanks(text, from));
  if (name < 0) return name;
  const colon = skipBlanks(text, name);
  return text[colon] === ':' ? value(text, colon + 1, depth) : failAt(colon);
}

function sequence(text: string, from: number, close: string, item: (at: number) => number): number {
  let at = skipBlanks(text, from);
  if (text[at] === close) return at + 1;
  for (;;) {
    at = item(at);
    if (at < 0) return at;
    at = skipBlanks(text, at);
    if (text[at] === close) return at + 1;
    if (text[at] !== ',') return failAt(at);
    at += 1;
  }
}

/** By hand: a pattern for all of it needs more memory than there is for a text of many megabytes. */
function string(text: string, start: number): number {
  if (text[start] !== '"') return failAt(start);
  for (let at = start + 1; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) return failAt(start);
    if (code !== 0x5c) at += 1;
    else if ((at = token(escaped, text, at)) < 0) return failAt(start);
  }
  return failAt(start);
}

function token(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : failAt(at);
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at += 1;
  return at;
}

function failAt(index: number): number {
  return -index - 1;
}
