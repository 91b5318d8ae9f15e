import { type CreateSessionRequest, runObservation, type SessionState } from '@fairlead/protocol';
import { Pool } from 'undici';
import { GatewayError } from '../../../src/gateway-error.ts';
import type {
  ActionAnswer,
  ActionRequest,
  CreateOptions,
  ListFilter,
  SandboxConnection,
  SessionsApi,
} from '../../../src/sessions/sessions-api.ts';
import type { NewNotice, OwnerRecord, SessionRecord, Store } from '../../../src/store/store.ts';

/**
 * Sessions without sandboxes, for what a test must control: `run hold` waits for `release`, `run lost` fails, anything
 * else answers with itself. Its journal is a list of texts.
 */
export class ScriptedSessions implements SessionsApi {
  readonly records = new Map<string, SessionRecord>();
  readonly executed: ActionRequest[] = [];
  readonly creations: CreateOptions[] = [];
  readonly touched: string[] = [];
  readonly noticed: string[] = [];
  readonly journal: { seq: number; text: string }[] = [];
  readonly progress: string[] = [];
  /** What the next creation or change fails with. */
  failure: GatewayError | undefined;
  socketPath = '/nonexistent/server.sock';
  /** Watches that have not ended. */
  watching = 0;
  readonly #held = new Set<() => void>();
  readonly #listeners = new Set<(text: string) => void>();
  readonly #store: Store;
  /** Creation and resuming wait for it. */
  gate: Promise<void> = Promise.resolve();

  /** Who a session belongs to is looked up in the store. */
  constructor(store: Store) {
    this.#store = store;
  }

  async create(
    owner: OwnerRecord,
    request: CreateSessionRequest,
    options: CreateOptions = {},
  ): Promise<SessionRecord> {
    const { externalId, onProgress } = options;
    this.creations.push(options);
    if (this.failure !== undefined) throw this.failure;
    if (externalId !== undefined && (await this.findByExternalId(owner.id, externalId)) !== undefined) {
      throw new GatewayError('conflict', 'There is one already');
    }
    for (const text of this.progress) onProgress?.(text);
    const record = await this.add(owner.id, {
      ...(request.driver && { driver: request.driver }),
      image: request.image ?? null,
      env: request.env,
      labels: request.labels,
      limits: request.limits,
      workspace: request.workspace,
      externalId: externalId ?? null,
      state: 'starting',
    });
    await this.gate;
    return this.#set(record.id, 'running');
  }

  async add(ownerId: string, changes: Partial<SessionRecord> = {}): Promise<SessionRecord> {
    const now = new Date().toISOString();
    const record: SessionRecord = {
      id: `s${String(this.records.size).padStart(19, '0')}`,
      ownerId,
      driver: 'local',
      image: null,
      state: 'running',
      reason: null,
      workspace: { kind: 'own' },
      env: { SECRET: 'in-the-environment' },
      labels: {},
      limits: {},
      idleTimeoutSeconds: 600,
      createdAt: now,
      lastActiveAt: now,
      expiresAt: null,
      endedAt: null,
      externalId: null,
      windowId: null,
      windowFolder: null,
      appPorts: [20_001, 20_002],
      ...changes,
    };
    this.records.set(record.id, record);
    await this.#store.sessions.add(record);
    return record;
  }

  async get(id: string): Promise<SessionRecord> {
    const record = this.records.get(id);
    if (record === undefined) throw new GatewayError('not-found', `There is no session ${id}`);
    return record;
  }

  async findByExternalId(ownerId: string, externalId: string): Promise<SessionRecord | undefined> {
    return [...this.records.values()].find(
      (record) => record.ownerId === ownerId && record.externalId === externalId,
    );
  }

  async list(ownerId: string, filter: ListFilter = {}): Promise<SessionRecord[]> {
    return [...this.records.values()].filter(
      ({ ownerId: owner, state, labels }) =>
        owner === ownerId &&
        (filter.states?.includes(state) ?? true) &&
        Object.entries(filter.labels ?? {}).every(([name, value]) => labels[name] === value),
    );
  }

  async pause(id: string): Promise<SessionRecord> {
    if (this.failure !== undefined) throw this.failure;
    return this.#set(id, 'paused');
  }

  async resume(id: string): Promise<SessionRecord> {
    this.#set(id, 'starting');
    await this.gate;
    return this.#set(id, 'running');
  }

  async stop(id: string, reason: string): Promise<SessionRecord> {
    return this.#set(id, 'stopped', reason);
  }

  async remove(id: string): Promise<void> {
    this.records.delete(id);
    await this.#store.sessions.remove(id);
  }

  async extend(id: string, seconds?: number): Promise<SessionRecord> {
    const record = await this.get(id);
    if (seconds !== undefined) record.expiresAt = new Date(Date.now() + seconds * 1000).toISOString();
    return record;
  }

  async notice({ noticeJson }: NewNotice): Promise<void> {
    this.noticed.push(noticeJson);
  }

  touch(id: string): void {
    this.touched.push(id);
  }

  async execute(id: string, request: ActionRequest): Promise<ActionAnswer> {
    if (request.isToWake && (await this.get(id)).state !== 'running') await this.resume(id);
    await this.#running(id);
    const earlier = this.executed.find(
      ({ idempotencyKey }) => idempotencyKey !== undefined && idempotencyKey === request.idempotencyKey,
    );
    if (earlier !== undefined && earlier.bodyHash !== request.bodyHash) {
      throw new GatewayError('key-reused', 'This Idempotency-Key was used with a different body');
    }
    this.executed.push(request);
    const { command } = request.event['args'] as { command: string };
    if (command === 'lost') throw new GatewayError('runtime-failed', 'The sandbox is gone');
    if (command === 'hold') await new Promise<void>((resolve) => this.#held.add(resolve));
    return {
      actionId: request.actionId ?? 'made-up',
      observationJson: JSON.stringify(runObservation(command, command, { exit_code: 0 })),
      isReplay: earlier !== undefined,
    };
  }

  release(): void {
    for (const go of this.#held) go();
    this.#held.clear();
  }

  record(text: string): void {
    const seq = this.journal.length + 1;
    const time = new Date().toISOString();
    const event = { action: 'run', args: { command: text } };
    const entry = { type: 'action', seq, time, actionId: `a${seq}`, shell: 'main', event };
    this.journal.push({ seq, text: JSON.stringify(entry) });
    this.emit(this.journal.at(-1)!.text);
  }

  /** Live only. */
  output(data: string): void {
    this.emit(
      JSON.stringify({ type: 'output', time: new Date().toISOString(), actionId: null, shell: 'main', data }),
    );
  }

  emit(text: string): void {
    for (const listener of this.#listeners) listener(text);
  }

  async *watch(
    id: string,
    { after, signal }: { after?: number | undefined; signal: AbortSignal },
  ): AsyncGenerator<string[]> {
    await this.get(id);
    if (after !== undefined && after > this.journal.length) {
      throw new GatewayError('bad-request', `after=${after} is beyond the last number`);
    }
    let queue: string[] = [];
    let wake: () => void = () => undefined;
    const listener = (text: string) => {
      queue.push(text);
      wake();
    };
    this.#listeners.add(listener);
    this.watching += 1;
    try {
      const lastSeq = this.journal.length;
      const old = this.journal.filter(({ seq }) => seq > (after ?? lastSeq)).map(({ text }) => text);
      for (let at = 0; at < old.length; at += 100) yield old.slice(at, at + 100);
      yield [JSON.stringify({ type: 'live', seq: lastSeq })];
      while (!signal.aborted && this.records.has(id)) {
        if (queue.length > 0) {
          const batch = queue;
          queue = [];
          yield batch;
          continue;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
    } finally {
      this.#listeners.delete(listener);
      this.watching -= 1;
    }
  }

  async connection(id: string): Promise<SandboxConnection> {
    await this.#running(id);
    return {
      socketPath: this.socketPath,
      http: new Pool('http://localhost', { socketPath: this.socketPath }),
    };
  }

  #set(id: string, state: SessionState, reason: string | null = null): SessionRecord {
    const record = this.records.get(id);
    if (record === undefined) throw new GatewayError('not-found', `There is no session ${id}`);
    return Object.assign(record, { state, reason });
  }

  async #running(id: string): Promise<void> {
    const { state } = await this.get(id);
    if (state !== 'running')
      throw new GatewayError('wrong-state', `The session is ${state}; resume it first`);
  }
}
