import { forEachEntry, listFiles, plainName, storeUpload, unpackZip, zipPath } from '@fairlead/executor';
import type { SandboxFiles } from '@fairlead/sandbox/server';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { Readable } from 'node:stream';
import { unseenChanges } from './conflict.ts';
import { openDocument } from './file-state.ts';
import { heldUpload } from './held-upload.ts';
import { type TransferParts, Transfers } from './transfers.ts';
import { refuseOtherThanShown, uploadRequest } from './upload-request.ts';
import { unpackVirtual, zipVirtual } from './virtual-archives.ts';
import type { Place, WorkspacePlaces } from './workspace-places.ts';

/** Lists, stores and sends files of the workspace for one session: what is saved, within the workspace, by consent. */
export class WindowFiles implements SandboxFiles {
  readonly #folder: string;
  readonly #places: WorkspacePlaces;
  readonly #transfers: Transfers;

  constructor({ folder, places, ...parts }: TransferParts & { folder: string; places: WorkspacePlaces }) {
    this.#folder = folder;
    this.#places = places;
    this.#transfers = new Transfers(parts);
  }

  async list(given: string, gone: AbortSignal): Promise<string[]> {
    const absolute = isAbsolute(given) ? given : await this.#places.resolve(given, this.#folder);
    // The path that was looked at, not the given one: the system follows a link before it takes the `..` after it.
    const { saved, path } = await this.#places.at(absolute);
    const transfer = { capability: 'read', path, title: `list ${path}`, gone } as const;
    return this.#transfers.make(transfer, () => listFiles(saved, path));
  }

  store(stream: Readable, destination: string, fileName: string, gone: AbortSignal): Promise<void> {
    return heldUpload(stream, plainName(fileName), async (temporary, name) => {
      const place = await this.#places.at(join(destination, name));
      const { path, realUri, saved } = place;
      refuseUnsaved(place);
      const { unseen, ...request } = await uploadRequest(place, temporary);
      const transfer = { capability: 'edit', path, gone, ...request } as const;
      await this.#transfers.make(transfer, async (signal, changed) => {
        refuseUnsaved(place);
        await refuseOtherThanShown(place, request);
        const bytes = changed === undefined ? undefined : Buffer.from(unseen + changed);
        if (!place.isOnDisk)
          return saved.writeFile(path, bytes ?? (await readFile(temporary)), { createParents: true });
        const upload = bytes === undefined ? createReadStream(temporary, { signal }) : Readable.from([bytes]);
        return storeUpload(upload, dirname(realUri.fsPath), basename(realUri.fsPath));
      });
    });
  }

  unpack(stream: Readable, destination: string, gone: AbortSignal): Promise<void> {
    return heldUpload(stream, 'upload.zip', async (temporary) => {
      const place = await this.#places.at(destination);
      const { path } = place;
      const names = await fileNames(temporary);
      const title = `unpack ${names.length} ${names.length === 1 ? 'file' : 'files'} into ${path}`;
      await this.#refuseUnsaved(path, names);
      const detail = await this.#listed(path, names);
      const transfer = { capability: 'edit', path, title, detail, gone } as const;
      await this.#transfers.make(transfer, async (signal) => {
        await this.#refuseUnsaved(path, names);
        if (place.isOnDisk) await unpackZip(temporary, place.realUri.fsPath, { signal });
        else await unpackVirtual(temporary, place, signal);
      });
    });
  }

  async zip(given: string, gone: AbortSignal): Promise<{ stream: Readable; fileName: string }> {
    const place = await this.#places.at(given);
    const { path } = place;
    return this.#transfers.make({ capability: 'read', path, title: `download ${path}`, gone }, () =>
      place.isOnDisk ? zipPath(path) : zipVirtual(place),
    );
  }

  /** All of them: what is not shown would be agreed to unseen. */
  async #listed(destination: string, names: string[]): Promise<string> {
    const lines = names.map(async (name) => {
      const { saved, path } = await this.#places.at(join(destination, name));
      return (await saved.stat(path).catch(() => undefined)) === undefined ? name : `${name} (replaced)`;
    });
    return (await Promise.all(lines)).join('\n');
  }

  async #refuseUnsaved(destination: string, names: string[]): Promise<void> {
    for (const name of names) refuseUnsaved(await this.#places.at(join(destination, name)));
  }
}

async function fileNames(zip: string): Promise<string[]> {
  const names: string[] = [];
  await forEachEntry(zip, async ({ kind, parts }) => {
    if (kind !== 'directory') names.push(parts.join('/'));
  });
  return names;
}

function refuseUnsaved(place: Place): void {
  if (openDocument(place)?.isDirty) throw unseenChanges(place.path);
}
