import { isAbsolute } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { checkQuery, HttpError, type HttpRoute } from '@fairlead/http';
import { clientGone } from '../http/client-gone.ts';
import { fileFailure } from '../http/file-failure.ts';
import type { Context } from '../sandbox.ts';
import { downloadQuery } from '../schemas.ts';

export const route: HttpRoute<Context> = {
  summary: 'A file or directory as a zip, made while it is sent',
  document: () => ({
    query: downloadQuery,
    answers: {
      200: { description: 'Entries relative to `path`', contentType: 'application/zip' },
      400: { description: 'A relative path' },
      403: { description: 'No permission to read there' },
      404: { description: 'Nothing at that path' },
      422: { description: 'No `path`' },
    },
  }),
  async handle({ request, response, sandbox, query }) {
    const { path } = checkQuery(downloadQuery, query);
    if (!isAbsolute(path)) throw new HttpError(400, `Path must be an absolute path: path is "${path}"`);
    const zip = await sandbox.files.zip(path, clientGone(response)).catch((error: unknown) => {
      throw fileFailure(error);
    });
    response.writeHead(200, {
      'content-type': 'application/zip',
      'content-disposition': attachment(zip.fileName),
    });
    if (request.method === 'HEAD') {
      zip.stream.destroy();
      return void response.end();
    }
    await pipeline(zip.stream, response);
  },
};

/** The name twice: plain for old clients, and exact for those that know RFC 5987. */
function attachment(fileName: string): string {
  const plain = fileName.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  if (plain === fileName) return `attachment; filename="${plain}"`;
  const wellFormed = fileName.toWellFormed();
  const exact = encodeURIComponent(wellFormed).replaceAll(/['()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}
