import { prepareCodeServer } from './prepare-code-server.ts';

/** A program: prepares the editor of the tests, and gives it up when the run that started it is over. */
const given = new AbortController();
process.on('disconnect', () => given.abort());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => given.abort());

await prepareCodeServer(given.signal).then(
  () => process.disconnect?.(),
  (error: Error) => {
    // The suites that need it try once more, and fail with the same words.
    if (!given.signal.aborted) process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
    if (process.connected) process.disconnect?.();
  },
);
