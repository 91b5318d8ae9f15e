import { z } from 'zod';
import { sessionId } from '../session-id.ts';
import { windowFacts } from './facts.ts';
import { type NoticeMessage } from './notice.ts';

/**
 * What a window and the gateway say to each other on the Socket.IO namespace `/windows`. The window dials. Actions do not
 * travel here: the gateway speaks HTTP with the window's sandbox server on byte streams inside `stream` messages.
 */

export const windowNamespace = '/windows';
export const windowProtocolVersion = 1;

/** The `auth` of the handshake: with a key, or with the one-time code of a pairing. */
export const windowHello = z.object({
  key: z.string().max(256).optional(),
  code: z.string().max(256).optional(),
  protocolVersion: z.int(),
  window: windowFacts,
});
export type WindowHello = z.infer<typeof windowHello>;

export const welcome = z.object({
  gatewayId: z.string(),
  owner: z.string(),
  /** After pairing: what to connect with from now on. It opens `/windows` only. */
  windowKey: z.string().optional(),
});
export type Welcome = z.infer<typeof welcome>;

/** Said again after a reconnection; a window that has the session open only says so. */
export const openSession = z.object({
  sessionId,
  /** How the user knows the agent. */
  agent: z.string(),
  owner: z.string(),
  /** Where shells begin; null for the window's first folder. */
  folder: z.string().nullable(),
  env: z.record(z.string(), z.string()),
  createdAt: z.iso.datetime(),
});
export type OpenSession = z.infer<typeof openSession>;

export const closeSession = z.object({ sessionId, reason: z.string() });
export type CloseSession = z.infer<typeof closeSession>;

/** The user ended this agent's session. */
export const leaveSession = z.object({ sessionId, reason: z.string().max(1024) });
export type LeaveSession = z.infer<typeof leaveSession>;

/** The user disconnected the window: all its sessions end at once. */
export const leave = z.object({ reason: z.string().max(1024) });
export type Leave = z.infer<typeof leave>;

export const refused = z.object({ detail: z.string() });
export type Refused = z.infer<typeof refused>;

export const acknowledgement = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true) }),
  z.object({ ok: z.literal(false), detail: z.string().max(4096) }),
]);
export type Acknowledgement = z.infer<typeof acknowledgement>;

type Acknowledge = (answer: Acknowledgement) => void;

export interface GatewayToWindow {
  welcome(message: Welcome): void;
  'open-session'(message: OpenSession, acknowledge: Acknowledge): void;
  'close-session'(message: CloseSession, acknowledge: Acknowledge): void;
  /** A frame of the tunnel (`@fairlead/tunnel`). */
  stream(frame: Uint8Array): void;
  /** The gateway will not have this window; the connection is closed after it. */
  refused(message: Refused): void;
}

export interface WindowToGateway {
  /** Sent again until there is an acknowledgement, or other facts. */
  facts(facts: z.infer<typeof windowFacts>, acknowledge: Acknowledge): void;
  stream(frame: Uint8Array): void;
  /** Sent again until there is an acknowledgement; one that says no means that nobody will ever want it. */
  notice(message: NoticeMessage, acknowledge: Acknowledge): void;
  'leave-session'(message: LeaveSession, acknowledge: Acknowledge): void;
  leave(message: Leave, acknowledge: Acknowledge): void;
}
