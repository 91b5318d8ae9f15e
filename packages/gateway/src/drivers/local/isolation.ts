import type { Diagnosis, SandboxSpec } from '../driver.ts';
import type { FoundSandbox } from './find-sandboxes.ts';
import type { PassedFiles } from './passed-files.ts';
import type { ProcessFacts } from './process-table.ts';

/** How a sandbox is kept apart from the machine. */
export interface Isolation {
  diagnose(): Promise<Diagnosis>;
  /** What to start, and with which open files. Rejects with a `DriverError` where it cannot work. */
  prepare(spec: SandboxSpec, name: string, temporary: string): Promise<Launch>;
  /** All processes of a sandbox, parents before their children. */
  membersOf(sandbox: FoundSandbox | undefined, name: string): ProcessFacts[];
}

export interface Launch {
  argv: string[];
  env: Record<string, string>;
  /** Closed by whoever launches it. */
  passed?: PassedFiles;
}
