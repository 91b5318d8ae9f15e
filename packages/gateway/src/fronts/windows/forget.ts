import type { HttpRoute } from '@fairlead/http';
import type { IdentifiedContext } from '../context.ts';
import { windowNotFound } from './instances.ts';

export const route: HttpRoute<IdentifiedContext> = {
  summary: 'Disconnect a window, end its sessions, and revoke the key that it was paired with',
  document: () => ({
    answers: {
      204: {
        description:
          'It has to be paired again. Other windows that use the same key are disconnected too. One that signed in with ' +
          'an API key can come back until that key is revoked',
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
      const isPaired = key?.kind === 'window';
      if (isPaired) await store.keys.revoke(key.id, new Date().toISOString());
      await windows.leave(window, 'its window was disconnected by the owner of this gateway');
      const remedy = isPaired ? 'pair it again to connect' : 'connect it again if that was not meant';
      window.line.refuse(`The owner has disconnected this window; ${remedy}`);
      await streams.check();
    }
    response.writeHead(204).end();
  },
};
