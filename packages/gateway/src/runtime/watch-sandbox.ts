import { streamEvent, type StreamEvent } from '@fairlead/protocol';
import { WebSocket } from 'ws';
import { connectToSandbox } from '../drivers/sandbox-socket.ts';
import type { RuntimeListener, RuntimeWatch } from './runtime.ts';

const handshakeTimeoutMs = 5_000;
/** Above any output that a sandbox tells at once; of actions and observations it is asked to leave out what is long. */
const messageLimitBytes = 4 * 1024 * 1024;

/** The event stream of a sandbox server, after a number or from now on. */
export function watchSandbox(
  socketPath: string,
  listener: RuntimeListener,
  afterSeq: number | undefined,
): RuntimeWatch {
  const socket = openEvents(socketPath, afterSeq);
  if (socket === undefined) {
    const lost = setImmediate(() => listener.onLost(afterSeq));
    return { opened: Promise.resolve(), close: () => clearImmediate(lost) };
  }
  const opened = Promise.withResolvers<void>();
  let place = afterSeq;
  let isOpen = false;
  let isClosed = false;
  socket.on('open', () => {
    isOpen = true;
    opened.resolve();
  });
  socket.on('message', (data) => {
    if (isClosed) return;
    const event = readEvent((data as Buffer).toString('utf8'));
    // Whoever says this is not our server: the socket is in the sandbox's hands.
    if (event === undefined) return socket.terminate();
    place = event.type === 'gap' ? event.toSeq : event.seq;
    tell(listener, event);
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    // It would be as large the next time.
    if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') place = undefined;
  });
  socket.on('close', (code) => {
    opened.resolve();
    if (isClosed) return;
    if (code === unknownPlace) place = undefined;
    if (isOpen && place === undefined) listener.onGap();
    listener.onLost(place);
  });
  return {
    opened: opened.promise,
    close() {
      isClosed = true;
      socket.terminate();
    },
  };
}

/** The sandbox server closes with it when it has never given the number out. */
const unknownPlace = 1008;

function openEvents(socketPath: string, afterSeq: number | undefined): WebSocket | undefined {
  const place = afterSeq === undefined ? '' : `&after=${afterSeq}`;
  try {
    return new WebSocket(`ws://sandbox/events?brief=true${place}`, {
      perMessageDeflate: false,
      handshakeTimeout: handshakeTimeoutMs,
      maxPayload: messageLimitBytes,
      createConnection: () => connectToSandbox(socketPath),
    });
  } catch {
    // There is no socket at the moment.
    return undefined;
  }
}

function readEvent(text: string): StreamEvent | undefined {
  try {
    return streamEvent.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function tell(listener: RuntimeListener, event: StreamEvent): void {
  switch (event.type) {
    case 'output':
      return listener.onOutput(event);
    case 'observation':
      return listener.onObservation(event.actionId);
    case 'gap':
      return listener.onGap();
    case 'action':
      return;
  }
}
