import type { WindowFacts } from '@fairlead/protocol';

/** Without control characters: what a window says ends up in logs and on terminals. */
export function plainText(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '\uFFFD');
}

export function plainFacts(facts: WindowFacts): WindowFacts {
  return JSON.parse(JSON.stringify(facts), plainValue) as WindowFacts;
}

function plainValue(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? plainText(value) : value;
}
