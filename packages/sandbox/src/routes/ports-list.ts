import { answerJson, type HttpRoute } from '@fairlead/http';
import type { MachineContext } from '../sandbox.ts';

export const route: HttpRoute<MachineContext> = {
  summary: 'The TCP ports that processes of the sandbox listen on',
  document: (z) => {
    const port = z.object({
      port: z.int(),
      address: z.string(),
      pid: z.int(),
      command: z.string(),
    });
    return { answers: { 200: { description: 'By number', schema: z.object({ ports: z.array(port) }) } } };
  },
  async handle({ response, sandbox }) {
    const ports = await sandbox.ports();
    answerJson(response, { ports: ports.list() });
  },
};
