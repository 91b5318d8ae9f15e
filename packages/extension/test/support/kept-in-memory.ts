import type { Kept } from '../../src/kept.ts';

/** Outlives what stands on it, as a file does; given and told as JSON. */
export function keptInMemory(): Kept {
  let text: string | undefined;
  return {
    get: () => (text === undefined ? undefined : JSON.parse(text)),
    set: (value) => void (text = value === undefined ? undefined : JSON.stringify(value)),
  };
}
