import { answerJson, HttpError, type HttpRoute, readJson } from '@fairlead/http';
import type { Context } from '../sandbox.ts';

const bodyLimitBytes = 1024 * 1024;

export const route: HttpRoute<Context> = {
  summary: 'Accept the list of MCP servers of a client; they are not started',
  document: (z) => ({
    body: { contentType: 'application/json', schema: z.array(z.record(z.string(), z.unknown())) },
    answers: {
      200: {
        description: 'Taken note of; `router_error_log` says what does not work',
        schema: z.object({ detail: z.string(), router_error_log: z.string() }),
      },
      400: { description: 'The body is not a list' },
    },
  }),
  async handle({ request, response }) {
    const servers = await readJson(request, bodyLimitBytes);
    if (!Array.isArray(servers)) throw new HttpError(400, 'Request must be a list of MCP tools to sync');
    answerJson(response, {
      detail: 'MCP server updated successfully',
      router_error_log: servers.length === 0 ? '' : 'MCP servers are not supported yet: none was started.',
    });
  },
};
