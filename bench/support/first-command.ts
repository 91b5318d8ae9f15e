import type { GatewayServer } from './gateway-server.ts';

export interface TimedSession {
  id: string;
  /** From the request for the session to the end of its first command. */
  tookMs: number;
}

export async function firstCommand(gateway: GatewayServer): Promise<TimedSession> {
  const startedAt = performance.now();
  const id = await gateway.createSession();
  await gateway.run(id, 'true');
  return { id, tookMs: performance.now() - startedAt };
}

/** The same for a session that is removed behind the measurement. */
export async function passingSession(gateway: GatewayServer): Promise<TimedSession> {
  const session = await firstCommand(gateway);
  await gateway.removeSession(session.id);
  return session;
}
