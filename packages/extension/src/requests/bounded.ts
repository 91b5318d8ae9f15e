import { RequestError } from './request-error.ts';

export interface Bounds {
  /** By the clock of `performance.now()`; infinite where nobody gave a limit. */
  deadlineMs: number;
  signal: AbortSignal;
}

/** Ends with the work, with the deadline, or with the caller's cancel, whichever comes first; the work hears of it. */
export async function bounded<Result>(
  { deadlineMs, signal }: Bounds,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const limitMs = deadlineMs - performance.now();
  const ended = Promise.withResolvers<never>();
  const end = (error: RequestError) => {
    ended.reject(error);
    controller.abort(error);
  };
  const cancel = () => end(new RequestError('cancelled', 'The request was cancelled.'));
  const timer =
    limitMs > longestTimerMs ? undefined : setTimeout(() => end(timeIsOver(limitMs)), Math.max(0, limitMs));
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  try {
    return await Promise.race([ended.promise, work(controller.signal)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}

const longestTimerMs = 2_000_000_000;

function timeIsOver(limitMs: number): RequestError {
  const seconds = Math.max(0.1, Math.round(limitMs / 100) / 10);
  return new RequestError('timeout', `There was no result within ${seconds} s; allow a longer timeout.`);
}
