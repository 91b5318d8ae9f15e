import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { forEachEntry, refused, type ZipEntry } from './zip-entries.ts';

/** Rejects when an entry would land outside `root`: by its name, through a link on disk, or through one it brings. */
export async function checkEntries(zip: string, root: string): Promise<void> {
  const links = new Set<string>();
  const notLinks = new Set<string>();
  await forEachEntry(zip, async (entry) => {
    checkName(zip, entry);
    const name = entry.parts.join('/');
    if (entry.kind === 'link') {
      checkTarget(zip, entry, await entry.linkTarget());
      if (links.has(name)) throw refused(zip, `it has two links ${entry.name}`);
      links.add(name);
    }
    for (const directory of entry.kind === 'link' ? parentsOf(entry) : [...parentsOf(entry), name]) {
      if (notLinks.has(directory)) continue;
      notLinks.add(directory);
      // A file of that name replaces a link on disk; a directory would be reached through it.
      const isReplaced = directory === name && entry.kind === 'file';
      if (!isReplaced && (await isLink(join(root, directory))))
        throw refused(zip, `${entry.name} would be written through the link ${join(root, directory)}`);
    }
  });
  for (const link of links)
    if (notLinks.has(link)) throw refused(zip, `an entry would be written through its own link ${link}`);
}

function checkName(zip: string, { name, parts }: ZipEntry): void {
  const problem = problemWith(name, parts);
  if (problem !== undefined) throw refused(zip, `the entry ${JSON.stringify(name)} ${problem}`);
}

function problemWith(name: string, parts: string[]): string | undefined {
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) return 'is an absolute path';
  if (parts.includes('..')) return 'leads out of the destination';
  if (name.includes('\\')) return 'has a backslash';
  if (name.includes('\0')) return 'has a NUL character';
  // Names the destination itself, which is there already.
  return parts.length === 0 && !name.endsWith('/') ? 'is empty' : undefined;
}

/** Only leading `..`, and not more of them than there are directories: such a target cannot leave by way of others. */
function checkTarget(zip: string, { name, parts }: ZipEntry, target: string): void {
  const steps = target.split('/').filter((step) => step !== '' && step !== '.');
  const ups = steps.findIndex((step) => step !== '..');
  const leadingUps = ups === -1 ? steps.length : ups;
  const isInside =
    target !== '' &&
    !target.startsWith('/') &&
    !/[\\\0]/.test(target) &&
    leadingUps <= parts.length - 1 &&
    !steps.slice(leadingUps).includes('..');
  if (!isInside)
    throw refused(zip, `the link ${name} leads to ${JSON.stringify(target)}, out of the destination`);
}

function parentsOf({ parts }: ZipEntry): string[] {
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

async function isLink(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isSymbolicLink() ?? false;
}
