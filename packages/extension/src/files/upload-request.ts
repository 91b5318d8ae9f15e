import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { changedMeanwhile } from './conflict.ts';
import { readState } from './file-state.ts';
import type { Transfer } from './transfers.ts';
import type { Place } from './workspace-places.ts';

/** A diff of more than this is read by nobody. */
const mostShownBytes = 1024 * 1024;

export interface UploadRequest extends Pick<Transfer, 'title' | 'edit'> {
  /** What VS Code does not show of a text: a byte order mark. */
  unseen: string;
}

const byteOrderMark = '\ufeff';

/** How the user is asked about a file that an agent uploads: text as a diff, all else by what it replaces. */
export async function uploadRequest(place: Place, temporary: string): Promise<UploadRequest> {
  const { path, uri } = place;
  const { size } = await stat(temporary);
  const there = await sizeOf(place);
  const title = there === undefined ? `store ${path} (new, ${size} bytes)` : replaces(path, there, size);
  const untold = { title, unseen: '' };
  if (Math.max(size, there ?? 0) > mostShownBytes) return untold;
  const bytes = await readFile(temporary);
  const before = await textAt(place);
  if (!isUtf8(bytes) || bytes.includes(0) || (there !== undefined && before === undefined)) return untold;
  const text = bytes.toString('utf8');
  const unseen = text.startsWith(byteOrderMark) ? byteOrderMark : '';
  return { title, unseen, edit: { uri, before, after: text.slice(unseen.length) } };
}

/** What the user was shown is only good for what was there then. */
export async function refuseOtherThanShown(place: Place, { edit }: Pick<Transfer, 'edit'>): Promise<void> {
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
