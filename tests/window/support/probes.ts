import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** The probe extension of one extension host. */
export interface Probe {
  pid: number;
  /** The path of the folder or the .code-workspace file that its window shows. */
  workspace: string;
  /** Runs the text of a function in the extension host, with the `vscode` API and these arguments. */
  run(text: string, args: unknown[]): Promise<unknown>;
  /** When the extension host has ended. */
  gone: Promise<void>;
}

const arrivalTimeoutMs = 120_000;

/** Where the probes of all windows call. */
export class Probes {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #present: Probe[] = [];
  #wake = Promise.withResolvers<void>();

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => this.#receive(socket));
  }

  static async listen(path: string): Promise<Probes> {
    const server = createServer();
    server.listen(path);
    await once(server, 'listening');
    return new Probes(server);
  }

  /** The probe of a window that has just been opened or loaded anew; none is given twice. */
  async take(workspace: string): Promise<Probe> {
    const deadlineMs = Date.now() + arrivalTimeoutMs;
    for (;;) {
      const index = this.#present.findIndex((probe) => probe.workspace === workspace);
      if (index >= 0) return this.#present.splice(index, 1)[0]!;
      const leftMs = deadlineMs - Date.now();
      if (leftMs <= 0) throw new Error(`No extension host came up for ${workspace}`);
      const timer = setTimeout(() => this.#wakeUp(), leftMs);
      await this.#wake.promise;
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #receive(socket: Socket): void {
    const waiting = new Map<number, PromiseWithResolvers<unknown>>();
    const gone = Promise.withResolvers<void>();
    let lastId = 0;
    let probe: Probe | undefined;
    const run = (text: string, args: unknown[]): Promise<unknown> => {
      if (socket.destroyed) return Promise.reject(new Error('The extension host has ended'));
      const answer = Promise.withResolvers<unknown>();
      lastId += 1;
      waiting.set(lastId, answer);
      socket.write(`${JSON.stringify({ id: lastId, text, args })}\n`);
      return answer.promise;
    };
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      this.#present = this.#present.filter((other) => other !== probe);
      for (const answer of waiting.values()) answer.reject(new Error('The extension host has ended'));
      gone.resolve();
    });
    createInterface({ input: socket }).on('line', (line) => {
      const message = JSON.parse(line) as Message;
      if (!('id' in message)) {
        probe = { ...message, run, gone: gone.promise };
        this.#present.push(probe);
        this.#wakeUp();
        return;
      }
      const answer = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.error === undefined) answer?.resolve(message.value);
      else answer?.reject(new Error(`In the window: ${message.error}`));
    });
  }

  #wakeUp(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers<void>();
  }
}

type Message = { pid: number; workspace: string } | { id: number; value?: unknown; error?: string };
