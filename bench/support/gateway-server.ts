import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { CreateSessionInput, Session } from '@fairlead/protocol';
import { nodeFlags } from '../../packages/cli/bin/node-flags.mjs';
import { HttpClient } from './http-client.ts';
import { NodeProcess } from './node-process.ts';
import { sandboxProcesses } from './process-facts.ts';
import { makePlace, type Place, runBody } from './sandbox-server.ts';

const command = fileURLToPath(new URL('../../packages/cli/bin/fairlead.mjs', import.meta.url));
const warmLimitMs = 120_000;
const warmPollMs = 10;
/** More than any benchmark has requests at a time. */
const connections = 128;

export interface GatewayServerOptions {
  warmSize: number;
  /** More for `fairlead serve`. */
  args?: string[];
  nodeArgs?: string[];
  /** Where web VS Codes are installed. */
  editors?: string;
}

/** `fairlead serve` in a process of its own, on a state directory that nobody else has. */
export class GatewayServer {
  readonly process: NodeProcess;
  readonly stateDir: string;
  readonly port: number;
  readonly key: string;
  readonly client: HttpClient;
  readonly #place: Place;
  readonly #warmSize: number;

  private constructor(process: NodeProcess, place: Place, port: number, warmSize: number) {
    this.process = process;
    this.#place = place;
    this.#warmSize = warmSize;
    this.port = port;
    this.stateDir = stateDirOf(place);
    this.key = readFileSync(join(this.stateDir, 'key'), 'utf8').trim();
    this.client = this.newClient({ connections });
  }

  static async start({
    warmSize,
    args = [],
    nodeArgs = [],
    editors,
  }: GatewayServerOptions): Promise<GatewayServer> {
    const place = makePlaceForSandboxes();
    if (editors !== undefined) {
      mkdirSync(stateDirOf(place), { mode: 0o700 });
      symlinkSync(editors, join(stateDirOf(place), 'editors'));
    }
    const sizes = ['--warm', String(warmSize), '--max-sessions', '1000'];
    const serve = ['serve', '--json', '--port', '0', '--state-dir', stateDirOf(place), ...sizes, ...args];
    const process = new NodeProcess([...nodeFlags, ...nodeArgs, command, ...serve], place.environment);
    try {
      const port = Number(await process.says(/"url":"http:\/\/127\.0\.0\.1:(\d+)"/));
      return new GatewayServer(process, place, port, warmSize);
    } catch (error) {
      place.remove();
      throw error;
    }
  }

  newClient(options: { connections: number }): HttpClient {
    const headers = { host: `127.0.0.1:${this.port}`, authorization: `Bearer ${this.key}` };
    return new HttpClient(this.port, { ...options, headers });
  }

  async createSession(): Promise<string> {
    return (await this.create({})).id;
  }

  async create(request: CreateSessionInput): Promise<Session> {
    return JSON.parse(await this.client.post('/api/sessions', JSON.stringify(request))) as Session;
  }

  /** Runs a command to its end; throws when it failed. */
  async run(sessionId: string, text: string): Promise<void> {
    const answer = await this.client.post(`/runtimes/${sessionId}/execute_action`, runBody(text));
    if (!answer.includes('"exit_code":0,')) throw new Error(`"${text}" failed: ${answer.slice(-1000)}`);
  }

  /** That lets a browser in, once. */
  async link(
    sessionId: string,
    place: { place: 'editor' } | { place: 'app'; number: number },
  ): Promise<string> {
    const answer = await this.client.post(`/api/sessions/${sessionId}/links`, JSON.stringify(place));
    return (JSON.parse(answer) as { url: string }).url;
  }

  async removeSession(id: string): Promise<void> {
    await this.client.send('DELETE', `/api/sessions/${id}`);
  }

  socketOf(sessionId: string): string {
    return join(this.stateDir, 'sessions', sessionId, 'run', 'server.sock');
  }

  /** Waits until the pool is full, and answers with the ids that its sandboxes will give to sessions. */
  async warmIds(): Promise<Set<string>> {
    const owned = new Set(await this.#sessionIds());
    const ready = new Set<string>();
    const deadlineMs = performance.now() + warmLimitMs;
    while (ready.size < this.#warmSize) {
      if (performance.now() > deadlineMs) {
        throw new Error(`${ready.size} of ${this.#warmSize} sandboxes were ready after ${warmLimitMs} ms`);
      }
      await delay(warmPollMs);
      for (const id of readdirSync(join(this.stateDir, 'sessions'))) {
        if (!owned.has(id) && !ready.has(id) && (await isAnswering(this.socketOf(id)))) ready.add(id);
      }
    }
    return ready;
  }

  async close(): Promise<void> {
    const ids = await this.#sessionIds().catch(() => []);
    await Promise.allSettled(ids.map((id) => this.removeSession(id)));
    this.client.close();
    await this.process.stop();
    this.#place.remove();
  }

  async #sessionIds(): Promise<string[]> {
    const answer = JSON.parse(await this.client.send('GET', '/api/sessions')) as {
      sessions: { id: string }[];
    };
    return answer.sessions.map(({ id }) => id);
  }
}

function stateDirOf({ directory }: Place): string {
  return join(directory, 'state');
}

async function isAnswering(socket: string): Promise<boolean> {
  if (!existsSync(socket)) return false;
  const client = new HttpClient(socket);
  const answer = await client.send('GET', '/alive').catch(() => undefined);
  client.close();
  return answer !== undefined;
}

/** Sandboxes outlive a gateway, also one that was ended with Ctrl-C. */
function makePlaceForSandboxes(): Place {
  const place = makePlace();
  const endLeft = () => {
    for (const pid of [...sandboxProcesses(stateDirOf(place)).values()].flat()) kill(pid);
  };
  // Before the place is removed.
  process.prependListener('exit', endLeft);
  const remove = () => {
    process.off('exit', endLeft);
    endLeft();
    place.remove();
  };
  return { ...place, remove };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
