import type { ServerResponse } from 'node:http';

/** Below each place, what is the gateway's own and not passed on. */
export const ownPath = '/.fairlead/';

/** Nothing of where the browser is now is told to where it goes, and nobody keeps the answer. */
export function redirect(
  response: ServerResponse,
  location: string,
  cookie?: string,
  status: 303 | 307 | 308 = 303,
): void {
  response.writeHead(status, {
    location,
    'content-length': '0',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    ...(cookie !== undefined && { 'set-cookie': cookie }),
  });
  response.end();
}

export function answerState(response: ServerResponse, state: { state: string; detail: string }): void {
  const body = JSON.stringify({ state: state.state, detail: state.detail });
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  response.end(body);
}
