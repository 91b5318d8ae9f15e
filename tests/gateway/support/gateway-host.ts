import { startGateway } from '@fairlead/gateway';
import type { HostOptions, Told } from './gateway-process.ts';

/** A gateway as a process of its own: options as JSON in argv, news over the channel to its parent. */
const options = JSON.parse(process.argv[2] ?? '{}') as HostOptions;
const tell = (told: Told) => process.send?.(told);
const log = (line: string) => tell({ kind: 'log', line });

try {
  const gateway = await startGateway({ ...options, log });
  process.on('SIGTERM', () => {
    void gateway.close().then(({ sessionsLeft }) => {
      tell({ kind: 'closed', sessionsLeft });
      process.disconnect();
    });
  });
  // Nobody is left to end it.
  process.on('disconnect', () => process.exit(0));
  tell({ kind: 'started', port: gateway.port, keyFile: gateway.keyFile });
} catch (error) {
  tell({ kind: 'refused', message: (error as Error).message });
  process.exitCode = 1;
  process.disconnect();
}
