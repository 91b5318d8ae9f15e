import {
  instanceEvent,
  type InstanceEvent,
  type Pairing,
  pairing,
  type WindowInstance,
  windowInstance,
} from '@fairlead/protocol';
import { type Connection, request, requestJson } from './http.ts';
import { watchList } from './watch-list.ts';

const path = 'api/vscode/instances';

/** The VS Code windows of the key's owner. */
export class Windows {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  list(): Promise<WindowInstance[]> {
    return requestJson(this.#connection, windowInstance.array(), 'GET', path);
  }

  /** The whole list, now and at each change. */
  async *watch({ signal }: { signal?: AbortSignal | undefined } = {}): AsyncGenerator<WindowInstance[]> {
    const list = { path, schema: instanceEvent, what: 'a watch of windows' };
    let windows: WindowInstance[] = [];
    for await (const event of watchList(this.#connection, list, signal)) {
      windows = withEvent(windows, event);
      yield windows;
    }
  }

  /** A link that lets one window connect, once and within ten minutes. */
  pair(): Promise<Pairing> {
    return requestJson(this.#connection, pairing, 'POST', 'api/vscode/pairings');
  }

  /** Disconnects it, ends its sessions, and revokes the key that it was paired with. */
  async forget(id: string): Promise<void> {
    const response = await request(
      this.#connection,
      'DELETE',
      `api/vscode/instance/${encodeURIComponent(id)}`,
    );
    await response.body?.cancel();
  }
}

function withEvent(windows: WindowInstance[], event: InstanceEvent): WindowInstance[] {
  switch (event.type) {
    case 'instances':
      return event.instances;
    case 'gone':
      return windows.filter((window) => window.connection_id !== event.connection_id);
    case 'changed': {
      const { instance } = event;
      const isKnown = windows.some((window) => window.connection_id === instance.connection_id);
      if (!isKnown) return [...windows, instance];
      return windows.map((window) => (window.connection_id === instance.connection_id ? instance : window));
    }
  }
}
