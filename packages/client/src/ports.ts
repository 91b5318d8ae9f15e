import { portList, type ShownPort } from '@fairlead/protocol';
import { type Connection, requestJson } from './http.ts';
import { watchList } from './watch-list.ts';

export async function listPorts(connection: Connection, session: string): Promise<ShownPort[]> {
  return (await requestJson(connection, portList, 'GET', pathOf(session))).ports;
}

/** The whole list at each change. */
export async function* watchPorts(
  connection: Connection,
  session: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ShownPort[]> {
  const list = { path: pathOf(session), schema: portList, what: 'a watch of ports' };
  for await (const { ports } of watchList(connection, list, signal)) yield ports;
}

function pathOf(session: string): string {
  return `api/sessions/${session}/ports`;
}
