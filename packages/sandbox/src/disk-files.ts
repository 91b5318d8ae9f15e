import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { listFiles, NodeFileHost, type Owner, storeUpload, unpackZip, zipPath } from '@fairlead/executor';
import type { SandboxFiles } from './files.ts';

/** The files of this machine; new ones are the owner's, where there is one. */
export function diskFiles(workspace: string, owner: Owner | undefined): SandboxFiles {
  const options = owner === undefined ? {} : { owner };
  return {
    list: (path) => listFiles(new NodeFileHost(), resolve(workspace, path)),
    async store(stream, destination, fileName) {
      await storeUpload(stream, destination, fileName, options);
    },
    unpack: (stream, destination) => unpack(stream, destination, options),
    zip: zipPath,
  };
}

async function unpack(stream: Readable, destination: string, options: { owner?: Owner }): Promise<void> {
  // In the destination, because a temporary directory elsewhere may be too small for it.
  const name = `.upload-${randomUUID()}.zip`;
  try {
    await storeUpload(stream, destination, name, options);
    await unpackZip(join(destination, name), destination, options);
  } finally {
    await rm(join(destination, name), { force: true }).catch(() => undefined);
  }
}
