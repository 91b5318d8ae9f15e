import { answerJson, check, type HttpRoute, readJson } from '@fairlead/http';
import { clientGone } from '../http/client-gone.ts';
import { fileFailure } from '../http/file-failure.ts';
import type { Context } from '../sandbox.ts';
import { listFilesRequest } from '../schemas.ts';

const bodyLimitBytes = 1024 * 1024;

export const route: HttpRoute<Context> = {
  summary: 'Names in a directory: directories with a trailing "/" first, then files',
  document: (z) => ({
    body: { contentType: 'application/json', schema: listFilesRequest },
    answers: {
      200: { description: 'The names; empty for what is not a directory', schema: z.array(z.string()) },
      422: { description: 'The body is not a JSON object, or `path` is not text' },
    },
  }),
  async handle({ request, response, sandbox }) {
    const { path } = check(listFilesRequest, await readJson(request, bodyLimitBytes));
    const names = await sandbox.files.list(path ?? '', clientGone(response)).catch((error: unknown) => {
      throw fileFailure(error);
    });
    answerJson(response, names);
  },
};
