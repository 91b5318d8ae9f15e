import { afterAll, beforeAll } from 'vitest';
import { Fairlead, type Started } from './fairlead.ts';

export interface ServedGateway {
  fairlead: Fairlead;
  served: Started;
  /** A new session's id. */
  session(...options: string[]): Promise<string>;
}

/** A gateway for the tests of a file, with all that it started ended behind them. */
export function useServedGateway(...options: string[]): ServedGateway {
  const held = {
    session: (...more: string[]) => held.fairlead.ask('session', 'create', ...more),
  } as ServedGateway;
  beforeAll(async () => {
    held.fairlead = new Fairlead();
    held.served = await serve(held.fairlead, ...options);
  }, 60_000);
  afterAll(() => endAll(held.fairlead, held.served), 60_000);
  return held;
}

export async function serve(fairlead: Fairlead, ...options: string[]): Promise<Started> {
  const served = fairlead.start(['serve', '--port', '0', '--warm', '0', '--json', ...options]);
  await served.says('"url"');
  return served;
}

export async function endAll(fairlead: Fairlead, served: Started): Promise<void> {
  const sessions = await fairlead.json<{ id: string }[]>('session', 'list');
  if (sessions.length > 0) await fairlead.run('session', 'delete', ...sessions.map(({ id }) => id));
  served.child.kill('SIGTERM');
  await served.ended;
  fairlead.close();
}
