export interface Operator {
  kind: 'operator' | 'redirect';
  text: string;
  end: number;
}

/** The operator at this place of the text. `<(` and `>(` are none: they start a word. */
export function operatorAt(text: string, start: number): Operator | undefined {
  const candidates = operatorsByFirst.get(text.charAt(start));
  if (!candidates) return;
  const found = candidates.find((operator) => text.startsWith(operator, start));
  if (!found) return;
  const end = start + found.length;
  if (!isRedirect(found)) return { kind: 'operator', text: found, end };
  if (found.length === 1 && text[end] === '(') return;
  return { kind: 'redirect', text: found, end };
}

/** Longest first. */
const operatorsByFirst = new Map([
  [';', [';;&', ';;', ';&', ';']],
  ['&', ['&>>', '&>', '&&', '&']],
  ['|', ['||', '|&', '|']],
  ['(', ['(']],
  [')', [')']],
  ['<', ['<<<', '<<-', '<<', '<&', '<>', '<']],
  ['>', ['>>', '>&', '>|', '>']],
]);

function isRedirect(operator: string): boolean {
  return operator.includes('<') || operator.includes('>');
}
