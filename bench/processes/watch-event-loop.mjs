// Loaded before a program (`node --import`): on SIGUSR2 it says the longest time that the event loop was blocked
// since the last one.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();
process.on('SIGUSR2', () => {
  process.stdout.write(`longest block ${delays.max / 1e6} ms\n`);
  delays.reset();
});
process.stdout.write('event loop is watched\n');
