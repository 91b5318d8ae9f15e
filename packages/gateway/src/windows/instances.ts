import { setTimeout as delay } from 'node:timers/promises';
import type {
  InstanceEvent,
  RegisterInstanceRequest,
  RegistryStats,
  WindowInstance,
} from '@fairlead/protocol';
import type { HttpInstance, HttpInstances } from './http-instances.ts';
import { addressOf, type ConnectedWindow, type Windows } from './windows.ts';

/** Those that registered by HTTP go without a word, so they are looked for now and then. */
const lookEveryMs = 15_000;

/** All windows as an owner sees them. */
export class Instances {
  readonly #windows: Windows;
  readonly #http: HttpInstances;
  readonly #watchers = new Set<() => void>();

  constructor(windows: Windows, http: HttpInstances) {
    this.#windows = windows;
    this.#http = http;
  }

  list(ownerId: string): WindowInstance[] {
    return [
      ...this.#windows.list(ownerId).map((window) => this.#viewWindow(window)),
      ...this.#http.list(ownerId).map(viewHttp),
    ];
  }

  find(ownerId: string, id: string): WindowInstance | undefined {
    return this.list(ownerId).find((instance) => instance.connection_id === id);
  }

  stats(ownerId: string): RegistryStats {
    const all = this.list(ownerId);
    return {
      total_instances: all.length,
      status_counts: { active: all.length },
      sessions: all.reduce((count, { sessions }) => count + sessions.length, 0),
    };
  }

  register(ownerId: string, told: RegisterInstanceRequest): string {
    const { id } = this.#http.register(ownerId, told);
    this.#tell();
    return id;
  }

  beat(ownerId: string, id: string): boolean {
    return this.#http.beat(ownerId, id) || this.find(ownerId, id) !== undefined;
  }

  unregister(ownerId: string, id: string): boolean {
    const isRemoved = this.#http.remove(ownerId, id);
    if (isRemoved) this.#tell();
    return isRemoved;
  }

  /** All there are, then each difference, until the signal. A slow watcher is told of the last state only. */
  async *watch(ownerId: string, signal: AbortSignal): AsyncGenerator<InstanceEvent[]> {
    let isChanged = Promise.withResolvers<void>();
    const wake = () => isChanged.resolve();
    const leave = this.#windows.watch((changed) => {
      if (changed.ownerId === ownerId) wake();
    });
    this.#watchers.add(wake);
    signal.addEventListener('abort', wake);
    try {
      let told = this.list(ownerId);
      yield [{ type: 'instances', instances: told }];
      while (!signal.aborted) {
        await Promise.race([isChanged.promise, delay(lookEveryMs, undefined, { ref: false, signal })]).catch(
          () => undefined,
        );
        isChanged = Promise.withResolvers();
        const now = this.list(ownerId);
        const events = differences(told, now);
        told = now;
        if (events.length > 0) yield events;
      }
    } finally {
      leave();
      this.#watchers.delete(wake);
      signal.removeEventListener('abort', wake);
    }
  }

  #tell(): void {
    for (const wake of this.#watchers) wake();
  }

  #viewWindow(window: ConnectedWindow): WindowInstance {
    const { facts, connectedAt } = window;
    const [first] = facts.folders;
    return {
      connection_id: facts.windowId,
      workspace_name: facts.name,
      workspace_path: first?.path ?? first?.uri ?? '',
      vscode_version: facts.vscodeVersion,
      extension_version: facts.extensionVersion,
      capabilities: facts.capabilities,
      status: 'active',
      registered_at: connectedAt,
      // Its connection is looked after all the time.
      last_heartbeat: new Date().toISOString(),
      takes_sessions: true,
      folders: facts.folders,
      app_name: facts.appName,
      remote_name: facts.remoteName,
      is_trusted: facts.isTrusted,
      sessions: this.#windows.sessionsOf(addressOf(window)).map(({ id, agent }) => ({ id, agent })),
    };
  }
}

function viewHttp({ id, told, registeredAt, lastHeartbeatMs }: HttpInstance): WindowInstance {
  return {
    connection_id: id,
    ...told,
    status: 'active',
    registered_at: registeredAt,
    last_heartbeat: new Date(lastHeartbeatMs).toISOString(),
    takes_sessions: false,
    folders: [],
    app_name: '',
    remote_name: null,
    is_trusted: false,
    sessions: [],
  };
}

function differences(before: WindowInstance[], now: WindowInstance[]): InstanceEvent[] {
  const known = new Map(before.map((instance) => [instance.connection_id, textOf(instance)]));
  const changed = now
    .filter((instance) => known.get(instance.connection_id) !== textOf(instance))
    .map((instance) => ({ type: 'changed' as const, instance }));
  const left = new Set(now.map(({ connection_id }) => connection_id));
  const gone = before
    .filter(({ connection_id }) => !left.has(connection_id))
    .map(({ connection_id }) => ({ type: 'gone' as const, connection_id }));
  return [...gone, ...changed];
}

/** A heartbeat alone is no news. */
function textOf({ last_heartbeat: _heartbeat, ...rest }: WindowInstance): string {
  return JSON.stringify(rest);
}
