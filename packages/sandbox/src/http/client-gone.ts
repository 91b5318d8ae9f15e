import type { ServerResponse } from 'node:http';

/** Comes when the connection is closed before the answer was sent. */
export function clientGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}
