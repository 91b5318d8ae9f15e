import { isAbsolute } from 'node:path';
import { answerJson, checkQuery, HttpError, type HttpRoute } from '@fairlead/http';
import { clientGone } from '../http/client-gone.ts';
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
      409: { description: 'The user of a window has unsaved changes in a file that would be replaced' },
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
    const gone = clientGone(response);
    const filename = await receiveFile(request, async (stream, name) => {
      if (name.toLowerCase().endsWith('.zip')) return sandbox.files.unpack(stream, destination, gone);
      if (recursive) throw new HttpError(400, `Recursive uploads must be zip files: the file is "${name}"`);
      await sandbox.files.store(stream, destination, name, gone);
    }).catch((error: unknown) => {
      throw fileFailure(error);
    });
    answerJson(response, { filename, destination, recursive });
  },
};
