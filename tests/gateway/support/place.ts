import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import {
  createApiKey,
  type Gateway,
  type GatewayOptions,
  newOwner,
  openLocalDriver,
  openStateStore,
  type Store,
  startGateway,
} from '@fairlead/gateway';
import { prepareSandboxBundle } from '@fairlead/sandbox/bundle';
import { afterAll } from 'vitest';
import { Caller } from './caller.ts';
import { GatewayProcess, type HostOptions } from './gateway-process.ts';

type Changes = Partial<HostOptions>;

export interface LocalGateway {
  gateway: Gateway;
  owner: Caller;
  logged: string[];
}

/** A state directory, and the gateways that are started on it. */
export class Place {
  readonly #local: Gateway[] = [];
  readonly #processes: GatewayProcess[] = [];
  /** The newest gateway's, to clean up with. */
  #owner: Caller | undefined;
  #stateDir: string | undefined;

  /** Of its own, unless one is given. */
  constructor(stateDir?: string) {
    this.#stateDir = stateDir;
  }

  /** Made when it is needed: a suite may be skipped. The path is short, as those of sockets must be. */
  get stateDir(): string {
    return (this.#stateDir ??= mkdtempSync(join(tmpdir(), 'fg-')));
  }

  /** In this process. */
  async start(changes: Changes = {}): Promise<LocalGateway> {
    const logged: string[] = [];
    const log = (line: string) => void logged.push(line);
    const gateway = await startGateway({ ...(await this.#options(changes)), log });
    this.#local.push(gateway);
    const owner = new Caller(gateway.port, readFileSync(gateway.keyFile, 'utf8').trim(), changes.basePath);
    this.#owner = owner;
    return { gateway, owner, logged };
  }

  /** As a process that can be killed. */
  async spawn(changes: Changes = {}): Promise<GatewayProcess> {
    const gateway = await GatewayProcess.start(await this.#options(changes));
    this.#processes.push(gateway);
    this.#owner = gateway.owner;
    return gateway;
  }

  async addTenant(name: string): Promise<string> {
    return this.useStore(async (store) => {
      const tenant = newOwner(name, 'tenant');
      await store.owners.add(tenant);
      return (await createApiKey(store, tenant, 'test')).text;
    });
  }

  /** What the gateway knows, also while it runs. */
  async useStore<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
    const store = openStateStore(this.stateDir);
    try {
      return await work(store);
    } finally {
      store.close();
    }
  }

  directoryOf(id: string): string {
    return join(this.stateDir, 'sessions', id);
  }

  workspaceOf(id: string): string {
    return join(this.directoryOf(id), 'workspace');
  }

  socketOf(id: string): string {
    return join(this.directoryOf(id), 'run', 'server.sock');
  }

  /** Host ids of the processes that have to do with this place: its gateways, and all that runs in sandboxes. */
  processes(): number[] {
    const name = basename(this.stateDir);
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
      .filter((pid) => ['cmdline', 'mountinfo'].some((file) => readProc(pid, file).includes(name)))
      .filter((pid) => !/^State:\s*[ZX]/m.test(readProc(pid, 'status')));
  }

  /** Deletes all sessions and ends all gateways. Throws when anything of them is left then. */
  async end(): Promise<void> {
    if (this.#stateDir === undefined) return;
    try {
      await this.#cleanUp();
      const left = this.#leftOver();
      if (left.length > 0) throw new Error(`left in ${this.stateDir}: ${left.join('; ')}`);
    } finally {
      await this.#endAll();
    }
  }

  async #cleanUp(): Promise<void> {
    if (this.#owner === undefined) return;
    // A gateway that was ended has left its sessions to the next.
    const isRunning = await this.#owner.sessions().then(
      () => true,
      () => false,
    );
    const owner = isRunning ? this.#owner : (await this.start()).owner;
    await this.useStore(async (store) => {
      for (const { id, ownerId } of await store.sessions.list()) {
        const key = (await createApiKey(store, (await store.owners.find(ownerId))!, 'clean up')).text;
        await owner.with(key).remove(id);
      }
    });
    await this.closeAll();
  }

  /** In good order. */
  async closeAll(): Promise<void> {
    await Promise.all([
      ...this.#local.map((gateway) => gateway.close()),
      ...this.#processes.filter((gateway) => !gateway.isEnded).map((gateway) => gateway.close()),
    ]);
  }

  #leftOver(): string[] {
    const sessions = join(this.stateDir, 'sessions');
    const files = existsSync(sessions) ? readdirSync(sessions) : [];
    const processes = this.processes().map((pid) => `${pid} ${readProc(pid, 'cmdline').slice(0, 80)}`);
    return [...files, ...processes].map((each) => each.replaceAll('\0', ' '));
  }

  /** Nothing may stay on the machine, whatever the product has left. */
  async #endAll(): Promise<void> {
    for (const gateway of this.#processes) if (!gateway.isEnded) await gateway.kill();
    const bundle = await prepareSandboxBundle();
    const driver = openLocalDriver({ stateDir: this.stateDir, bundle, isolation: 'bubblewrap' });
    await Promise.all((await driver.list()).map((id) => driver.stop(id)));
    await driver.close();
    rmSync(this.stateDir, { recursive: true, force: true });
  }

  async #options(changes: Changes): Promise<HostOptions> {
    return {
      stateDir: this.stateDir,
      host: '127.0.0.1',
      port: 0,
      allowedHosts: [],
      bundle: await prepareSandboxBundle(),
      defaultDriver: 'local',
      isolation: 'bubblewrap',
      appPortsPerSession: 2,
      windowGraceSeconds: 60,
      defaultImage: 'debian:12',
      defaultLimits: {},
      warmSize: 0,
      idleTimeoutSeconds: 1_800,
      maxAgeSeconds: null,
      retentionSeconds: 86_400,
      maxSessionsPerOwner: 100,
      allowedFolders: [],
      operatorName: 'operator',
      ...changes,
    } satisfies Omit<GatewayOptions, 'log'>;
  }
}

/** A place for the tests of one `describe`; nothing of it may be left behind them. */
export function usePlace(): Place {
  const place = new Place();
  afterAll(() => place.end(), 60_000);
  return place;
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
