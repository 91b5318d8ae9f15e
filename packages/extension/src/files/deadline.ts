/** What comes of it by the deadline of the action; undefined when nothing does, or when it is cancelled. */
export async function withinDeadline<Value>(
  work: Promise<Value>,
  { deadlineMs, signal }: { deadlineMs: number; signal: AbortSignal },
): Promise<Value | undefined> {
  const { promise: over, resolve: end } = Promise.withResolvers<undefined>();
  const stop = () => end(undefined);
  const timer = setTimeout(stop, Math.min(Math.max(0, deadlineMs - performance.now()), 2 ** 31 - 1));
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
