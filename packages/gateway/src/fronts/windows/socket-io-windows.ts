import { check } from '@fairlead/http';
import { type WindowHello, windowHello, windowNamespace, windowProtocolVersion } from '@fairlead/protocol';
import type { Server, Socket } from 'socket.io';
import type { Identity } from '../../auth/identity.ts';
import { GatewayError } from '../../gateway-error.ts';
import { noLongerValid } from '../../http/end-stream.ts';
import { plainFacts } from '../../windows/plain-text.ts';
import type { ConnectedWindow } from '../../windows/windows.ts';
import type { GatewayCore } from '../context.ts';
import { refusalOf } from '../refusal.ts';
import { isOwner, ownersOnly } from '../session-access.ts';
import { admitByCode } from './admit-by-code.ts';
import { listenToWindow } from './listen-to-window.ts';
import { openWindowLine } from './window-line.ts';

interface Admitted {
  hello: WindowHello;
  identity: Identity;
  /** Made for it just now, because it came with a code. */
  windowKey?: string;
}

/** The door for VS Code windows, which dial: namespace `/windows`. */
export function serveWindows(io: Server, gateway: GatewayCore): void {
  const windows = io.of(windowNamespace);
  windows.use((socket, next) => void letIn(gateway, socket, next));
  windows.on('connection', (socket) => {
    const { admitted } = socket.data as { admitted: Admitted };
    connect(gateway, socket, admitted);
  });
}

async function letIn(gateway: GatewayCore, socket: Socket, next: (refusal?: Error) => void): Promise<void> {
  try {
    const data = socket.data as { admitted?: Admitted };
    data.admitted = await admit(gateway, socket);
    next();
  } catch (error) {
    const refusal = refusalOf(error, gateway.log);
    next(Object.assign(new Error(refusal.detail), { data: refusal }));
  }
}

function connect(gateway: GatewayCore, socket: Socket, { hello, identity, windowKey }: Admitted): void {
  const { windows, streams, log } = gateway;
  const { line, mux } = openWindowLine(socket);
  const { owner, keyId } = identity;
  const connectedAt = new Date().toISOString();
  const window: ConnectedWindow = { ownerId: owner.id, connectedAt, keyId, line, facts: hello.window };
  const described = `the window "${hello.window.name}" (${hello.window.windowId}) of ${owner.name}`;
  const leave = streams.add(identity, () => line.refuse(noLongerValid.detail));
  socket.on('disconnect', (reason) => {
    leave();
    windows.disconnect(window);
    mux.close();
    log(`${described} is disconnected: ${reason}`);
  });
  listenToWindow(socket, { gateway, window, mux });
  log(`${described} is connected`);
  // First, so that it knows whom it talks to before it is asked for anything.
  const key = windowKey === undefined ? {} : { windowKey };
  socket.emit('welcome', { gatewayId: gateway.gatewayId, owner: owner.name, ...key });
  try {
    windows.connect(window);
  } catch (error) {
    line.refuse(refusalOf(error, log).detail);
  }
}

async function admit(gateway: GatewayCore, { request, handshake }: Socket): Promise<Admitted> {
  const { gatekeeper } = gateway;
  const said = check(windowHello, handshake.auth);
  const hello = { ...said, window: plainFacts(said.window) };
  if (hello.protocolVersion !== windowProtocolVersion) throw otherVersion(hello.protocolVersion);
  const path = `${windowNamespace}/${hello.window.windowId}`;
  if (hello.code !== undefined) return { hello, ...(await admitByCode(gateway, request, hello, path)) };
  if (hello.key?.startsWith('fw_')) {
    return { hello, identity: await gatekeeper.byWindowKey(request, hello.key, path) };
  }
  // Without a key it is refused there; what a browser sends unasked does not count.
  const identity = await gatekeeper.byKey(request, hello.key ?? '', path);
  if (!isOwner(identity)) throw ownersOnly();
  return { hello, identity };
}

function otherVersion(version: number): GatewayError {
  const older = version < windowProtocolVersion ? 'extension' : 'gateway';
  return new GatewayError(
    'bad-request',
    `The window speaks version ${version} and this gateway ${windowProtocolVersion}; update the ${older}`,
  );
}
