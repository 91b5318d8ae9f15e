import { resolve } from 'node:path';
import { listFiles, NodeFileHost } from '@fairlead/executor';
import { answerJson, check, type HttpRoute, readJson } from '@fairlead/http';
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
    answerJson(response, await listFiles(new NodeFileHost(), resolve(sandbox.workspace, path ?? '')));
  },
};
