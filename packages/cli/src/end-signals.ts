/** One Ctrl-C can come twice: from the terminal, and from a launcher that passes it on. */
const sameKeyPressMs = 500;

/** Resolves at the first signal to end; a later one ends the process at once. */
export function endSignals(): Promise<void> {
  let firstAtMs = Infinity;
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        firstAtMs = Math.min(firstAtMs, performance.now());
        if (performance.now() - firstAtMs > sameKeyPressMs) process.exit(1);
        resolve();
      });
    }
  });
}
