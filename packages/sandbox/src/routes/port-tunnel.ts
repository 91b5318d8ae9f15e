import { HttpError, type HttpRoute } from '@fairlead/http';
import { tunnelProtocol } from '../ports/tunnel.ts';
import type { MachineContext } from '../sandbox.ts';

/** Those that ask to become a tunnel do not come here. */
export const route: HttpRoute<MachineContext> = {
  summary: 'A connection to a port of the sandbox: ask with `Upgrade: tcp`, and go on with its bytes',
  document: () => ({
    answers: {
      101: { description: 'Connected; each byte is passed on as it is' },
      404: { description: 'No process of the sandbox listens there' },
      422: { description: 'Not a port' },
      426: { description: 'Without `Upgrade: tcp`' },
      502: { description: 'The port takes no connection' },
    },
  }),
  handle() {
    throw new HttpError(
      426,
      `This path is a tunnel; ask with "Upgrade: ${tunnelProtocol}"`,
      {},
      {
        upgrade: tunnelProtocol,
      },
    );
  },
};
