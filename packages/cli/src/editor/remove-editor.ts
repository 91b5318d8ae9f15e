import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { abandonedPrefix, removeAbandoned } from './abandoned.ts';
import { folderName } from './editor-version.ts';
import { installedVersions } from './installed-editor.ts';

/** Removes every version that is installed, and what was left of others; answers with what there was. */
export async function removeEditors(directory: string): Promise<string[]> {
  await removeAbandoned(directory);
  const versions = installedVersions(directory);
  for (const version of versions) {
    // Half an editor must not be taken for one, also when this is killed.
    const away = await mkdtemp(join(directory, abandonedPrefix()));
    await rename(join(directory, folderName(version)), join(away, 'editor'));
    await rm(away, { recursive: true, force: true });
  }
  return versions;
}
