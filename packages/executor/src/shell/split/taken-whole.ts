/**
 * The reference refuses several commands only where its parser can tell them apart, and runs the rest as they are:
 * a script written with a quoted here-document and then started, among others. What it cannot parse is listed here.
 */
const beyondReference = [
  /<<-?\s*['"\\]/,
  /(^|[\s;&|(])(case|time|coproc|select)\s/,
  /\[\[\s/,
  /\(\(/,
  /\w\+?=\(/,
  /[?*+@!]\([^)]*\|/,
];

/** Whether a text of several commands is run nevertheless, as the reference would. */
export function isTakenWhole(text: string): boolean {
  return beyondReference.some((pattern) => pattern.test(text));
}
