import type { RawData, WebSocket } from 'ws';
import type { AttachableShell, SessionShells } from '@fairlead/executor';
import { checkQuery, type SocketRoute } from '@fairlead/http';
import { describeIssues, shellName, terminalControl } from '@fairlead/protocol';
import type { Context } from '../sandbox.ts';
import { terminalQuery } from '../schemas.ts';

const bufferLimitBytes = 1024 * 1024;
const resetScreen = Buffer.from('\x1bc');

export const route: SocketRoute<Context> = {
  summary: 'A person at a shell: binary messages are terminal bytes, text messages are control',
  document: () => ({
    query: terminalQuery,
    answers: {
      101: { description: 'WebSocket; the text messages it takes', schema: terminalControl },
      422: { description: '`cols` or `rows` is not a number from 2 to 1000' },
    },
  }),
  async attach(socket, { sandbox, params, query }) {
    const name = shellName.safeParse(params['name']);
    if (!name.success) return socket.close(1008, `shell name: ${name.error.issues[0]?.message}`);
    const { cols, rows } = checkQuery(terminalQuery, query);
    // Keystrokes that come while the shell starts are kept for it.
    socket.pause();
    const { shells } = sandbox.executor;
    const session = await shells.open(name.data).finally(() => socket.resume());
    if (socket.readyState !== socket.OPEN) return;
    const leave = sandbox.viewers.join(session, { end: (reason) => socket.close(1000, reason) });
    const { size } = session;
    if (cols ?? rows) session.resize({ cols: cols ?? size.cols, rows: rows ?? size.rows });
    const stopShowing = show(socket, session, shells);
    socket.on('message', (data, isBinary) => receive(socket, session, data, isBinary));
    socket.on('close', () => {
      stopShowing();
      leave();
    });
  },
};

/**
 * The screen so far, then live. A viewer that cannot follow misses bytes and gets the screen again when it can:
 * holding the shell back for it would let one stalled browser stop the agent's command.
 */
function show(socket: WebSocket, session: AttachableShell, shells: SessionShells): () => void {
  let hasMissed = false;
  const stop = shells.onOutput(({ shell, data }) => {
    if (shell !== session.name) return;
    if (hasMissed || socket.bufferedAmount > bufferLimitBytes) hasMissed = true;
    else socket.send(data, onSent);
  });
  socket.send(session.recentOutput());
  return stop;

  function onSent(): void {
    if (!hasMissed || socket.bufferedAmount > 0 || socket.readyState !== socket.OPEN) return;
    hasMissed = false;
    socket.send(Buffer.concat([resetScreen, session.recentOutput()]), onSent);
  }
}

function receive(socket: WebSocket, session: AttachableShell, data: RawData, isBinary: boolean): void {
  if (isBinary) return session.type(data as Buffer);
  const control = terminalControl.safeParse(parseJson((data as Buffer).toString()));
  if (!control.success) return socket.close(1008, shortReason(describeIssues(control.error)));
  if (control.data.type === 'input') return session.type(control.data.data);
  session.resize({ cols: control.data.cols, rows: control.data.rows });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A close frame has room for 123 bytes. */
function shortReason(reason: string): string {
  return Buffer.from(`bad control message: ${reason}`)
    .toString('latin1')
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, 120);
}
