import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GrantStore } from './grants.ts';

/**
 * A file in the extension's storage for this workspace. VS Code's own state would lose what was said a moment before a
 * reload: a browser writes it down later. Without a directory, in a window without a folder, nothing outlives it.
 */
export function grantStore(directory: string | undefined): GrantStore {
  if (directory === undefined) return { get: () => undefined, set: () => undefined };
  const path = join(directory, 'grants.json');
  return {
    get: () => read(path),
    set: (grants) => {
      mkdirSync(directory, { recursive: true });
      writeFileSync(path, JSON.stringify(grants), { mode: 0o600 });
    },
  };
}

function read(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
