import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Owner, storeUpload, unpackZip } from '@fairlead/executor';
import { answerJson, checkQuery, HttpError, type HttpRoute } from '@fairlead/http';
import { fileFailure } from '../http/file-failure.ts';
import { receiveFile } from '../http/multipart.ts';
import type { Context } from '../sandbox.ts';
import { uploadQuery } from '../schemas.ts';

export const route: HttpRoute<Context> = {
  summary: 'Store a file; a .zip is unpacked',
  document: (z) => ({
    query: uploadQuery,
    body: {
      contentType: 'multipart/form-data',
      schema: z.object({ file: z.string().meta({ format: 'binary' }) }),
    },
    answers: {
      200: {
        description: 'Stored',
        schema: z.object({ filename: z.string(), destination: z.string(), recursive: z.boolean() }),
      },
      400: {
        description: 'A relative destination, a destination that is a file, or a zip that cannot be unpacked',
      },
      403: { description: 'No permission to write there' },
      422: { description: 'No multipart field `file`' },
      507: { description: 'The disk is full' },
    },
  }),
  async handle({ request, response, sandbox, query }) {
    const { destination, recursive: given } = checkQuery(uploadQuery, query);
    const recursive = /^(true|1|yes|on)$/i.test(given);
    if (!isAbsolute(destination)) {
      throw new HttpError(400, `Destination must be an absolute path: destination is "${destination}"`);
    }
    const options = sandbox.owner === undefined ? {} : { owner: sandbox.owner };
    const filename = await receiveFile(request, async (stream, name) => {
      if (name.toLowerCase().endsWith('.zip')) return unpack(stream, destination, options);
      if (recursive) throw new HttpError(400, `Recursive uploads must be zip files: the file is "${name}"`);
      await storeUpload(stream, destination, name, options);
    }).catch((error: unknown) => {
      throw fileFailure(error);
    });
    answerJson(response, { filename, destination, recursive });
  },
};

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
