import { answerJson, type HttpRoute } from '@fairlead/http';
import type { Context } from '../sandbox.ts';

export const route: HttpRoute<Context> = {
  summary: 'The open shells',
  document: (z) => {
    const shell = z.object({
      name: z.string(),
      pid: z.int(),
      cwd: z.string(),
      cols: z.int(),
      rows: z.int(),
    });
    return { answers: { 200: { description: 'By name', schema: z.object({ shells: z.array(shell) }) } } };
  },
  async handle({ response, sandbox }) {
    const { shells } = sandbox.executor;
    const sessions = await Promise.all(shells.names().map((name) => shells.open(name)));
    answerJson(response, {
      shells: sessions.map(({ name, pid, cwd, size }) => ({ name, pid, cwd, ...size })),
    });
  },
};
