import { checkEntries, forEachEntry, type ZipSource, zipStream } from '@fairlead/executor';
import { dirname, posix } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import * as vscode from 'vscode';
import type { Place } from './workspace-places.ts';

/** Links in the archive are left out: such file systems have none. */
export async function unpackVirtual(zip: string, { path, saved }: Place, signal: AbortSignal): Promise<void> {
  // In the archive's own directory there is nothing that a name could run into.
  await checkEntries(zip, dirname(zip));
  await forEachEntry(zip, async (entry) => {
    signal.throwIfAborted();
    const target = posix.join(path, ...entry.parts);
    if (entry.kind === 'file')
      await saved.writeFile(target, await buffer(await entry.open()), { createParents: true });
  });
}

export async function zipVirtual(place: Place): Promise<{ stream: Readable; fileName: string }> {
  const { kind } = await place.saved.stat(place.path);
  const fileName = `${posix.basename(place.path) || 'files'}.zip`;
  const entries =
    kind === 'directory' ? await tree(place) : [await source(place, posix.basename(place.path))];
  return { stream: zipStream(entries), fileName };
}

async function tree(place: Place, prefix = ''): Promise<ZipSource[]> {
  const children = (await place.saved.list(place.path)).sort((left, right) =>
    left.name < right.name ? -1 : 1,
  );
  if (children.length === 0 && prefix !== '')
    return [{ ...(await source(place, prefix)), kind: 'directory' }];
  const entries: ZipSource[] = [];
  for (const { name, kind } of children) {
    const child = { ...place, path: posix.join(place.path, name), uri: vscode.Uri.joinPath(place.uri, name) };
    if (kind === 'directory') entries.push(...(await tree(child, `${prefix}${name}/`)));
    else entries.push(await source(child, `${prefix}${name}`));
  }
  return entries;
}

async function source({ path, uri, saved }: Place, name: string): Promise<ZipSource> {
  const { mtime, size } = await vscode.workspace.fs.stat(uri);
  const open = async () => Readable.from([await saved.readFile(path)], { objectMode: false });
  return { kind: 'file', name, mtime: new Date(mtime), mode: 0o100664, size, open };
}
