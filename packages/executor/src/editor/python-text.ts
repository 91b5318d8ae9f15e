/** The contract's texts were made by Python; these write values and treat strings as it does. */

const whiteSpace = String.raw`[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]`;
const endOfText = new RegExp(`${whiteSpace}+$`);
const startOfText = new RegExp(`^${whiteSpace}+`);

export function stripEnd(text: string): string {
  // A quick look first: the search alone would try every run of spaces inside a long line.
  const last = text.at(-1);
  return last !== undefined && endOfText.test(last) ? text.slice(0, endOfWords(text)) : text;
}

export function strip(text: string): string {
  return stripEnd(text.replace(startOfText, ''));
}

/** How a value of a JSON list looks inside a message. */
export function repr(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(repr).join(', ')}]`;
  if (typeof value === 'object') {
    const entries = Object.entries(value);
    return `{${entries.map(([key, entry]) => `${quoted(key)}: ${repr(entry)}`).join(', ')}}`;
  }
  return JSON.stringify(value);
}

export function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll(quote, `\\${quote}`)
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t');
  return `${quote}${escaped}${quote}`;
}

/** A path with doubled and trailing slashes and `.` steps gone; `..` stays, for it may follow a link. */
export function tidyPath(path: string): string {
  const steps = path.split('/').filter((step) => step !== '' && step !== '.');
  const root = /^\/\/(?!\/)/.test(path) ? '//' : path.startsWith('/') ? '/' : '';
  return `${root}${steps.join('/')}` || '.';
}

/** Undefined unless the text is a whole number. */
export function parseInteger(text: string): number | undefined {
  const digits = strip(text);
  if (!/^[+-]?\d+(_\d+)*$/.test(digits)) return undefined;
  return Number(digits.replaceAll('_', ''));
}

/** The first characters of a text, a pair of surrogates counting as one; undefined when it is not longer than that. */
export function clipped(text: string, limit: number): string | undefined {
  if (text.length <= limit) return undefined;
  let end = 0;
  for (let characters = 0; characters < limit; characters++) {
    if (end >= text.length) return undefined;
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return end >= text.length ? undefined : text.slice(0, end);
}

function endOfWords(text: string): number {
  let end = text.length;
  while (end > 0 && endOfText.test(text[end - 1]!)) end--;
  return end;
}
