import { check } from '@fairlead/http';
import { type Acknowledgement, leave, leaveSession, noticeMessage, windowFacts } from '@fairlead/protocol';
import type { StreamMux } from '@fairlead/tunnel';
import type { Socket } from 'socket.io';
import { RateLimit } from '../../auth/rate-limit.ts';
import { GatewayError } from '../../gateway-error.ts';
import { plainFacts, plainText } from '../../windows/plain-text.ts';
import type { ConnectedWindow } from '../../windows/windows.ts';
import type { GatewayCore } from '../context.ts';
import { refusalOf } from '../refusal.ts';

/** Of all that is no stream. A window that changes many files at once sends the rest a moment later. */
const messageLimits = { perSecond: 50, burst: 1_000 };

interface Parts {
  gateway: GatewayCore;
  window: ConnectedWindow;
  mux: StreamMux;
}

type Acknowledge = (answer: Acknowledgement) => void;

/** What a window says; nothing of it is believed before it is looked at. */
export function listenToWindow(socket: Socket, { gateway, window, mux }: Parts): void {
  const { windows, log } = gateway;
  const limit = new RateLimit(messageLimits);
  socket.on('stream', (frame: unknown) => {
    mux.receive(frame);
    if (mux.isClosed) window.line.refuse('The window broke the rules of the tunnel');
  });
  on('facts', async (message) => windows.update(window, plainFacts(check(windowFacts, message))));
  on('notice', (message) => recordNotice(gateway, window, message));
  on('leave-session', async (message) => {
    const { sessionId, reason } = check(leaveSession, message);
    await windows.leaveSession(window, sessionId, plainText(reason));
  });
  on('leave', async (message) => {
    const { reason } = check(leave, message);
    await windows.leave(window, plainText(reason));
    // Its acknowledgement is on the way first.
    setImmediate(() => socket.disconnect(true));
  });

  /** One that comes too fast gets no acknowledgement, so that it comes again. */
  function on(name: string, handle: (message: unknown) => Promise<void>): void {
    socket.on(name, (message: unknown, acknowledge: unknown) => {
      if (limit.take('messages') > 0) return;
      const answer = (typeof acknowledge === 'function' ? acknowledge : () => undefined) as Acknowledge;
      handle(message).then(
        () => answer({ ok: true }),
        (error: unknown) => {
          // To be sent again: it is the gateway that could not.
          if (error instanceof GatewayError && error.code === 'store-failed') return;
          answer({ ok: false, detail: refusalOf(error, log).detail });
        },
      );
    });
  }
}

async function recordNotice(gateway: GatewayCore, window: ConnectedWindow, message: unknown): Promise<void> {
  const { sessionId, noticeId, time, notice } = check(noticeMessage, message);
  const { ownerId, windowId } = await gateway.sessions.get(sessionId);
  const isTheirs = ownerId === window.ownerId && windowId === window.facts.windowId;
  if (!isTheirs) throw new GatewayError('not-found', 'There is no such session');
  const now = new Date().toISOString();
  await gateway.sessions.notice({
    sessionId,
    noticeId,
    // What is later than now would be kept for ever.
    time: time < now ? time : now,
    noticeJson: JSON.stringify(notice),
  });
}
