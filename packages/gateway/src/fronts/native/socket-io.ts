import type { Server as HttpServer } from 'node:http';
import { Server, type Socket } from 'socket.io';
import { z } from 'zod';
import type { Identity } from '../../auth/identity.ts';
import type { GatewayCore } from '../context.ts';
import { refusalOf } from '../refusal.ts';
import { serveWatches } from './socket-io-watch.ts';

export const socketIoPath = '/socket.io/';

const handshakeAuth = z.object({ key: z.string().optional(), ticket: z.string().optional() });

/** Watching over Socket.IO: namespace `/sessions`, one watch a connection. */
export function attachSocketIo(http: HttpServer, gateway: GatewayCore): Server {
  const io = new Server(http, {
    path: socketIoPath,
    serveClient: false,
    // The gateway's other WebSockets are not Socket.IO's to end.
    destroyUpgrade: false,
    connectTimeout: 10_000,
    maxHttpBufferSize: 64 * 1024,
    allowRequest(request, decide) {
      try {
        gateway.gatekeeper.checkSite(request);
        gateway.gatekeeper.admitAnyone(request);
        decide(null, true);
      } catch (error) {
        decide(refusalOf(error, gateway.log).detail, false);
      }
    },
  });
  const sessions = io.of('/sessions');
  sessions.use((socket, next) => void admit(gateway, socket, next));
  // Whoever connects there would stay without having said who it is.
  io.use((_socket, next) => next(new Error('Connect to the namespace "/sessions"')));
  return io;
}

async function admit(gateway: GatewayCore, socket: Socket, next: (refusal?: Error) => void): Promise<void> {
  try {
    serveWatches(socket, { gateway, identity: await identify(gateway, socket) });
    next();
  } catch (error) {
    const refusal = refusalOf(error, gateway.log);
    next(Object.assign(new Error(refusal.detail), { data: refusal }));
  }
}

/** What the client says at the handshake comes before what its headers say. */
function identify({ gatekeeper }: GatewayCore, { request, handshake }: Socket): Promise<Identity> {
  const { key, ticket } = handshakeAuth.safeParse(handshake.auth).data ?? {};
  if (ticket !== undefined) return gatekeeper.byTicket(request, ticket);
  return key === undefined ? gatekeeper.byHeaders(request) : gatekeeper.byKey(request, key);
}
