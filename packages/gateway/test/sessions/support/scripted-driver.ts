import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import {
  type Driver,
  DriverError,
  type SandboxSpec,
  type SandboxStatus,
} from '../../../src/drivers/driver.ts';
import { runFiles } from '../../../src/drivers/inside.ts';

type Verb = 'start' | 'pause' | 'resume' | 'stop';

/** Sandboxes that are servers of this process, and do what a test says. */
export class ScriptedDriver implements Driver {
  readonly name = 'local';
  /** What was asked for, as `verb id`. */
  readonly asked: string[] = [];
  /** Of the starts. */
  readonly specs: SandboxSpec[] = [];
  /** Words with which the next of a kind fails. */
  readonly failures = new Map<Verb, string>();
  /** What the next of a kind waits for. */
  readonly holds = new Map<Verb, Promise<void>>();
  readonly #sandboxes = new Map<string, { server: Server; socket: string; status: SandboxStatus }>();

  async diagnose() {
    return { ok: true, detail: 'scripted' } as const;
  }

  async start(spec: SandboxSpec): Promise<void> {
    const { id, directories } = spec;
    this.specs.push(spec);
    await this.#ask('start', id);
    const socket = join(directories.run, runFiles.socket);
    const server = createServer((request, response) => void answer(request, response));
    server.listen(socket);
    await once(server, 'listening');
    this.#sandboxes.set(id, { server, socket, status: 'running' });
  }

  async status(id: string): Promise<SandboxStatus> {
    return this.#sandboxes.get(id)?.status ?? 'gone';
  }

  async pause(id: string): Promise<void> {
    await this.#ask('pause', id);
    this.#sandboxes.get(id)!.status = 'paused';
  }

  async resume(id: string): Promise<void> {
    await this.#ask('resume', id);
    this.#sandboxes.get(id)!.status = 'running';
  }

  async stop(id: string): Promise<void> {
    await this.#ask('stop', id);
    const sandbox = this.#sandboxes.get(id);
    if (sandbox === undefined) return;
    this.#sandboxes.delete(id);
    sandbox.server.close();
    sandbox.server.closeAllConnections();
    rmSync(sandbox.socket, { force: true });
  }

  async list(): Promise<string[]> {
    return [...this.#sandboxes.keys()];
  }

  async close(): Promise<void> {
    for (const id of await this.list()) await this.stop(id);
  }

  /** How often something was asked for. */
  count(verb: Verb): number {
    return this.asked.filter((each) => each.startsWith(`${verb} `)).length;
  }

  async #ask(verb: Verb, id: string): Promise<void> {
    this.asked.push(`${verb} ${id}`);
    const hold = this.holds.get(verb);
    this.holds.delete(verb);
    await hold;
    const failure = this.failures.get(verb);
    this.failures.delete(verb);
    if (failure !== undefined) throw new DriverError(failure);
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  const body = JSON.stringify({ observation: 'run', content: text, extras: {} });
  response.writeHead(200, { 'content-length': Buffer.byteLength(body) }).end(body);
}
