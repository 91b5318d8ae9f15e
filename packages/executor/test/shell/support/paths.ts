import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function makeRoot(): string {
  return mkdtempSync(join(tmpdir(), 'fairlead-shell-'));
}

export function testPaths(root: string): { workspace: string; home: string; sessionDir: string } {
  return { workspace: join(root, 'workspace'), home: join(root, 'home'), sessionDir: join(root, 'session') };
}

export function shellEnv(home: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: home, LANG: 'C.UTF-8' };
}
