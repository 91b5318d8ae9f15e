import type { SessionHandle } from '@fairlead/client';

export interface Copy {
  session: SessionHandle;
  source: string;
  destination: string;
  /** Where relative paths of this machine begin. */
  cwd: string;
  onProgress(text: string): void;
}
