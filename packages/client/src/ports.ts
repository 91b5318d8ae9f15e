import { portList, type ShownPort } from '@fairlead/protocol';
import { FairleadError } from './fairlead-error.ts';
import { checkAnswer, type Connection, parseJson, reaching, request, requestJson } from './http.ts';
import { serverSentEvents } from './server-sent-events.ts';

export async function listPorts(connection: Connection, session: string): Promise<ShownPort[]> {
  return (await requestJson(connection, portList, 'GET', pathOf(session))).ports;
}

const betweenTriesMs = 200;

/** When the connection breaks it is made again: the list is told whole each time. */
export async function* watchPorts(
  connection: Connection,
  session: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ShownPort[]> {
  const isEnded = () => signal?.aborted === true;
  let giveUpAtMs = 0;
  while (!isEnded()) {
    try {
      for await (const ports of readStream(connection, session, signal)) {
        yield ports;
        giveUpAtMs = Infinity;
      }
      return;
    } catch (error) {
      if (isEnded()) return;
      if (!(error instanceof FairleadError) || error.code !== 'unreachable') throw error;
      if (giveUpAtMs === Infinity) giveUpAtMs = performance.now() + connection.retryForMs;
      if (performance.now() >= giveUpAtMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, betweenTriesMs));
    }
  }
}

async function* readStream(
  connection: Connection,
  session: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ShownPort[]> {
  const headers = { accept: 'text/event-stream' };
  const { body } = await request(connection, 'GET', pathOf(session), { headers, signal });
  if (body === null) return;
  const events = serverSentEvents(body);
  try {
    for (;;) {
      const { done, value } = await reaching(connection, signal, () => events.next());
      if (done) return;
      yield checkAnswer(portList, parseJson(value.data), 'a watch of ports').ports;
    }
  } finally {
    await events.return(undefined);
  }
}

function pathOf(session: string): string {
  return `api/sessions/${session}/ports`;
}
