import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A directory that stands for one start of a program, and is taken away by it. When VS Code begins, it may bring back a
 * terminal of before by starting what ran there: nobody asked for that.
 */
export function startMark(): string {
  return mkdtempSync(join(tmpdir(), 'fairlead-start-'));
}
