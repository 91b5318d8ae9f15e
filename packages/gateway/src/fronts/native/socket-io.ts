import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import { answerError, HttpError, refuseUpgrade } from '@fairlead/http';
import { Server, type Socket } from 'socket.io';
import { z } from 'zod';
import type { Identity } from '../../auth/identity.ts';
import { checkCookieUse } from '../../http/cookie-use.ts';
import { noLongerValid } from '../../http/end-stream.ts';
import type { GatewayCore } from '../context.ts';
import { refusalOf } from '../refusal.ts';
import { serveWindows } from '../windows/socket-io-windows.ts';
import { serveWatches } from './socket-io-watch.ts';

export const socketIoPath = '/socket.io/';

const handshakeAuth = z.object({ key: z.string().optional(), ticket: z.string().optional() });

/** Watching over Socket.IO: namespace `/sessions`, one watch a connection. Windows have a namespace of their own. */
export function attachSocketIo(http: HttpServer, gateway: GatewayCore): Server {
  const io = new Server(http, {
    path: socketIoPath,
    serveClient: false,
    // The gateway's other WebSockets are not Socket.IO's to end.
    destroyUpgrade: false,
    connectTimeout: 10_000,
    // A peer that is gone without a word is noticed within seconds.
    pingInterval: 5_000,
    pingTimeout: 10_000,
    // A frame of a window's tunnel, also as base64 where there is no WebSocket.
    maxHttpBufferSize: 128 * 1024,
    allowRequest(request, decide) {
      try {
        gateway.gatekeeper.checkSite(request);
        gateway.gatekeeper.admitAnyone(request, 'handshake');
        decide(null, true);
      } catch (error) {
        // Without a decision: that would be a 400 of Engine.IO's own.
        refuse(request, error, gateway.log);
      }
    },
  });
  const sessions = io.of('/sessions');
  sessions.use((socket, next) => void admit(gateway, socket, next));
  serveWindows(io, gateway);
  // Whoever connects there would stay without having said who it is.
  io.use((_socket, next) => next(new Error('Connect to the namespace "/sessions"')));
  return io;
}

function refuse(
  request: IncomingMessage & { res?: ServerResponse },
  error: unknown,
  log: (line: string) => void,
): void {
  const { status, detail } = refusalOf(error, log);
  const headers = error instanceof HttpError ? error.headers : {};
  const failure = new HttpError(status, detail, {}, headers);
  // Engine.IO's own addition; there is none where a WebSocket is asked for.
  if (request.res === undefined) refuseUpgrade(request.socket, failure);
  else answerError(request.res, failure);
}

async function admit(gateway: GatewayCore, socket: Socket, next: (refusal?: Error) => void): Promise<void> {
  try {
    const identity = await identify(gateway, socket);
    const leave = gateway.streams.add(identity, () => {
      socket.emit('refused', noLongerValid);
      socket.disconnect(true);
    });
    socket.on('disconnect', leave);
    serveWatches(socket, { gateway, identity });
    next();
  } catch (error) {
    const refusal = refusalOf(error, gateway.log);
    next(Object.assign(new Error(refusal.detail), { data: refusal }));
  }
}

/** What the client says at the handshake comes before what its headers say. */
async function identify({ gatekeeper }: GatewayCore, { request, handshake }: Socket): Promise<Identity> {
  const { key, ticket } = handshakeAuth.safeParse(handshake.auth).data ?? {};
  if (ticket !== undefined) return gatekeeper.byTicket(request, ticket);
  if (key !== undefined) return gatekeeper.byKey(request, key);
  const identity = await gatekeeper.byHeaders(request);
  checkCookieUse(request, identity, true);
  return identity;
}
