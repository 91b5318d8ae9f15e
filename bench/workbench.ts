import type { Row } from './runner.ts';
import { visitToUsable } from './workbench/visit-to-usable.ts';

export const title = 'workbench';
export const description = 'from the visit to the usable web VS Code of a session, in Chromium';

export function run(): Promise<Row[]> {
  return visitToUsable({ rounds: 10, warmUpRounds: 2 });
}
