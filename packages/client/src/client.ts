import type { Connection } from './http.ts';
import { SessionHandle } from './session-handle.ts';
import { Sessions } from './sessions.ts';
import { Windows } from './windows.ts';

export interface ClientOptions {
  /** Of the gateway, for example `http://127.0.0.1:3000`. */
  url: string;
  /** An owner's API key, or one session's key; a page that the gateway has given its cookie needs none. */
  key?: string | undefined;
  /** How long an action is sent again, and a watch connected again, before they are given up; 60 s when absent. */
  retryForMs?: number | undefined;
}

export interface Client {
  readonly url: string;
  readonly sessions: Sessions;
  readonly windows: Windows;
  session(id: string): SessionHandle;
}

/** For Node and browsers. Opens nothing by itself, so there is nothing to close. */
export function createClient({ url, key, retryForMs = 60_000 }: ClientOptions): Client {
  const base = new URL(url.endsWith('/') ? url : `${url}/`);
  const connection: Connection = { base, key, retryForMs };
  return {
    url: base.href.replace(/\/$/, ''),
    sessions: new Sessions(connection),
    windows: new Windows(connection),
    session: (id) => new SessionHandle(connection, id),
  };
}
