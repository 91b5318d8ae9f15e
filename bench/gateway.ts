import { createToFirstCommand } from './gateway/create-to-first-command.ts';
import { idleSessions } from './gateway/idle-sessions.ts';
import { runThroughGateway } from './gateway/run-through-gateway.ts';
import type { Row } from './runner.ts';

export const title = 'gateway';
export const description =
  'a command through the gateway, create to first command, and 100 idle sessions, with the local driver';

export async function run(): Promise<Row[]> {
  return [
    ...(await runThroughGateway({ rounds: 100, warmUpRounds: 30 })),
    ...(await createToFirstCommand({ count: 50, warmUpRounds: 3 })),
    ...(await idleSessions({ count: 100, warmUpCount: 5 })),
  ];
}
