/** Room for the tree of a page; what is long in an honest observation is a string. */
const partsLimit = 1024 * 1024;

/** Whether a text is a JSON object, without taking much more memory than the text to find out. */
export function isObservation(text: string): boolean {
  if (!hasFewParts(text)) return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Each value takes many times its text in memory: `{}` for one 28 bytes. Long strings take no more than they are. */
function hasFewParts(text: string): boolean {
  let parts = 0;
  for (let at = 0; parts <= partsLimit;) {
    const open = text.indexOf('"', at);
    if (open === -1) return parts + text.length - at <= partsLimit;
    const close = endOfString(text, open);
    if (close === -1) return false;
    parts += open - at + 1;
    at = close + 1;
  }
  return false;
}

function endOfString(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (close !== -1 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return close;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === 0x5c) first -= 1;
  return (at - first) % 2 === 1;
}
