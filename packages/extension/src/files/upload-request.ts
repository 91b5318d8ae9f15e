import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { changedMeanwhile } from './conflict.ts';
import { readState } from './file-state.ts';
import type { Transfer } from './transfers.ts';
import type { Place } from './workspace-places.ts';

/** A diff of more than this is read by nobody. */
const mostShownBytes = 1024 * 1024;

export type UploadRequest = Pick<Transfer, 'title' | 'edit'>;

/** How the user is asked about a file that an agent uploads: text as a diff, all else by what it replaces. */
export async function uploadRequest(place: Place, temporary: string): Promise<UploadRequest> {
  const { path, uri } = place;
  const { size } = await stat(temporary);
  const there = await sizeOf(place);
  const title = there === undefined ? `store ${path} (new, ${size} bytes)` : replaces(path, there, size);
  if (Math.max(size, there ?? 0) > mostShownBytes) return { title };
  const after = await readFile(temporary);
  const before = await textAt(place);
  if (!isUtf8(after) || after.includes(0) || (there !== undefined && before === undefined)) return { title };
  return { title, edit: { uri, before, after: after.toString('utf8') } };
}

/** What the user was shown is only good for what was there then. */
export async function refuseOtherThanShown(place: Place, { edit }: UploadRequest): Promise<void> {
  if (edit !== undefined && (await textAt(place)) !== edit.before) throw changedMeanwhile(place.path);
}

async function textAt(place: Place): Promise<string | undefined> {
  const state = await readState(place);
  return state.kind === 'missing' ? undefined : state.text;
}

async function sizeOf({ saved, path }: Place): Promise<number | undefined> {
  return saved.stat(path).then(
    (found) => found.size,
    () => undefined,
  );
}

function replaces(path: string, there: number, size: number): string {
  return `replace ${path} (${there} bytes) by ${size} bytes`;
}
