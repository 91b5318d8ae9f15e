import { FairleadError } from './fairlead-error.ts';
import { checkAnswer, type Connection, parseJson, reaching, request, type Schema } from './http.ts';
import { serverSentEvents } from './server-sent-events.ts';

const betweenTriesMs = 200;

export interface WatchedList<Value> {
  path: string;
  schema: Schema<Value>;
  /** In words. */
  what: string;
}

/** Server-sent events that begin with a whole list: when the connection breaks it is made again, and they begin anew. */
export async function* watchList<Value>(
  connection: Connection,
  list: WatchedList<Value>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Value> {
  const isEnded = () => signal?.aborted === true;
  let giveUpAtMs = 0;
  while (!isEnded()) {
    try {
      for await (const value of readStream(connection, list, signal)) {
        yield value;
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

async function* readStream<Value>(
  connection: Connection,
  { path, schema, what }: WatchedList<Value>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Value> {
  const headers = { accept: 'text/event-stream' };
  const { body } = await request(connection, 'GET', path, { headers, signal });
  if (body === null) return;
  const events = serverSentEvents(body);
  try {
    for (;;) {
      const { done, value } = await reaching(connection, signal, () => events.next());
      if (done) return;
      yield checkAnswer(schema, parseJson(value.data), what);
    }
  } finally {
    await events.return(undefined);
  }
}
