import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export async function withTemporaryDirectory<Value>(
  use: (path: string) => Promise<Value>,
  parent = tmpdir(),
): Promise<Value> {
  const path = await mkdtemp(join(parent, '.fairlead-'));
  try {
    return await use(path);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}
