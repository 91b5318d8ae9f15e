import type { HttpRoute } from '@fairlead/http';
import type { IdentifiedContext } from '../context.ts';
import { windowNotFound } from './instances.ts';

export const route: HttpRoute<IdentifiedContext> = {
  summary: 'Disconnect a window, end its sessions, and revoke the key that it was paired with',
  document: () => ({
    answers: {
      204: {
        description: 'It has to be paired again. Other windows that use the same key are disconnected too',
      },
      404: { description: 'It is not connected' },
    },
  }),
  async handle({ response, gateway, identity, params }) {
    const { windows, instances, streams, store } = gateway;
    const ownerId = identity.owner.id;
    const windowId = params['instance'] ?? '';
    const window = windows.find({ ownerId, windowId });
    if (window === undefined) {
      if (!instances.unregister(ownerId, windowId)) throw windowNotFound();
    } else {
      const key = window.keyId === null ? undefined : await store.keys.find(window.keyId);
      // An API key is more than this window's.
      if (key?.kind === 'window') await store.keys.revoke(key.id, new Date().toISOString());
      await windows.leave(window, 'its window was disconnected by the owner of this gateway');
      window.line.refuse('The owner has disconnected this window; pair it again to connect');
      await streams.check();
    }
    response.writeHead(204).end();
  },
};
