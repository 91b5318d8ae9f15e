/** A text without what looks like a password, a key or a token: for logs that outlive the moment. */
export function redact(text: string): string {
  return shapes.reduce((clean, [shape, replacement]) => clean.replaceAll(shape, replacement), text);
}

const hidden = '[redacted]';

const shapes: [RegExp, string][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, hidden],
  // Keys that say what they are by how they begin.
  [
    /\b(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|sk-|sk_live_|rk_live_|npm_|pypi-|hf_|f[lsw]_)[\w-]{12,}/g,
    hidden,
  ],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, hidden],
  [/\bAIza[\w-]{35}/g, hidden],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, hidden],
  // The password in an address.
  [/(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@'"]*:)[^\s/@'"]+@/gi, `$1${hidden}@`],
  [/(\b(?:bearer|basic)\s+)[\w+/=.~-]{8,}/gi, `$1${hidden}`],
  // A value behind a name that tells what it is: an assignment, a header, a JSON field, an option.
  [
    /((?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)["']?(?:\s*[=:]\s*|(?<=--[\w-]*)\s+))(?:"[^"]*"|'[^']*'|[^\s"'&;|]+)/gi,
    `$1${hidden}`,
  ],
];
