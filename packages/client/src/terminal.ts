import { defaultShell, type TerminalControl } from '@fairlead/protocol';
import { ticketText } from './answers.ts';
import { FairleadError } from './fairlead-error.ts';
import { type Connection, requestJson } from './http.ts';

export interface TerminalOptions {
  /** Started when there is none of that name; `main` when absent. */
  shell?: string | undefined;
  cols: number;
  rows: number;
  /** Terminal bytes: first what the shell has shown lately, then live. */
  onData(data: Uint8Array): void;
}

/** A person at a shell. */
export interface Terminal {
  /** Keystrokes. */
  write(data: string | Uint8Array<ArrayBuffer>): void;
  resize(cols: number, rows: number): void;
  close(): void;
  /** Why it ended, '' when this side closed it; rejects when the connection was lost. */
  readonly ended: Promise<string>;
}

/** No header can be set on a WebSocket in a browser, so a ticket opens it, which is good for once. */
export async function openTerminal(
  connection: Connection,
  session: string,
  options: TerminalOptions,
): Promise<Terminal> {
  const ticket = await requestJson(connection, ticketText, 'POST', 'api/tickets', { json: { session } });
  const socket = new WebSocket(addressOf(connection, session, ticket, options));
  socket.binaryType = 'arraybuffer';
  socket.addEventListener('message', ({ data }) => {
    options.onData(
      typeof data === 'string' ? new TextEncoder().encode(data) : new Uint8Array(data as ArrayBuffer),
    );
  });
  await opened(socket, connection);
  let isClosedHere = false;
  const ended = new Promise<string>((resolve, reject) => {
    socket.addEventListener('close', ({ code, reason }) => {
      if (isClosedHere) resolve('');
      else if (code === 1000) resolve(reason);
      else reject(failureOf(connection, code, reason));
    });
  });
  ended.catch(() => undefined);
  const control = (message: TerminalControl) => socket.send(JSON.stringify(message));
  return {
    write: (data) => socket.send(typeof data === 'string' ? new TextEncoder().encode(data) : data),
    resize: (cols, rows) => control({ type: 'resize', cols, rows }),
    close() {
      isClosedHere = true;
      socket.close(1000);
    },
    ended,
  };
}

function addressOf(
  { base }: Connection,
  session: string,
  ticket: string,
  { shell = defaultShell, cols, rows }: TerminalOptions,
): URL {
  const url = new URL(`runtimes/${session}/shells/${encodeURIComponent(shell)}/terminal`, base);
  url.protocol = base.protocol === 'https:' ? 'wss:' : 'ws:';
  url.search = new URLSearchParams({ cols: String(cols), rows: String(rows), ticket }).toString();
  return url;
}

function opened(socket: WebSocket, connection: Connection): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    // An error says nothing; the close behind it does.
    socket.addEventListener('close', ({ code, reason }) => reject(failureOf(connection, code, reason)));
  });
}

/** 1008 is how a gateway refuses, 4401 how it takes a key back, and 1006 is what is said when nobody said anything. */
function failureOf({ base }: Connection, code: number, reason: string): FairleadError {
  if (code === 1008) return new FairleadError('conflict', reason);
  if (code === 4401) return new FairleadError('unauthorized', reason);
  if (code !== 1006)
    return new FairleadError('unavailable', `The terminal was closed: ${reason || `code ${code}`}`);
  return new FairleadError('unreachable', `The terminal's connection to ${base.origin} was lost`);
}
