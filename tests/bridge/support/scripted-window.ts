import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { EditorRequest } from '@fairlead/protocol';
import { Bridge, type StartedRun } from '../../../packages/extension/src/bridge/bridge.ts';
import type { Call } from '../../../packages/extension/src/bridge/answer.ts';
import { keptInMemory } from '../../../packages/extension/test/support/kept-in-memory.ts';

export type Handle = (request: EditorRequest, call: Call) => Promise<Record<string, unknown>>;

/** The bridge of a window as the extension has it, with a script in place of the editor, behind a line that can be cut. */
export class ScriptedWindow {
  /** Every request that was worked on, in order. */
  readonly requests: EditorRequest[] = [];
  handle: Handle;
  #bridge: Bridge;
  #run: StartedRun | undefined;
  readonly #line = new Line();
  readonly #store = keptInMemory();
  readonly #waiting: (() => void)[] = [];

  private constructor(handle: Handle) {
    this.handle = handle;
    this.#bridge = this.#open();
  }

  static async open(handle: Handle): Promise<ScriptedWindow> {
    const window = new ScriptedWindow(handle);
    window.#run = await window.#bridge.begin('script');
    window.#run.setProcess(process.pid);
    await window.#line.listen(() => window.#bridge.port);
    return window;
  }

  /** Of a program that is run by this window. */
  get env(): Record<string, string> {
    const address = `ws://127.0.0.1:${this.#line.port}/`;
    return {
      ...this.#run!.env,
      FAIRLEAD_RUN_BRIDGE_ADDR: address,
      EVOLVE_RUN_BRIDGE_ADDR: address,
    };
  }

  get endpoint(): { address: string; token: string; session: string } {
    const { env } = this;
    return {
      address: env['FAIRLEAD_RUN_BRIDGE_ADDR']!,
      token: env['FAIRLEAD_RUN_BRIDGE_TOKEN']!,
      session: env['FAIRLEAD_RUN_BRIDGE_SESSION']!,
    };
  }

  requestsOf<Type extends EditorRequest['type']>(type: Type): Extract<EditorRequest, { type: Type }>[] {
    return this.requests.filter((request) => request.type === type) as Extract<
      EditorRequest,
      { type: Type }
    >[];
  }

  /** When the next request has come, and is not answered yet. */
  asked(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Cuts every connection, in the middle of whatever is on the line. */
  cut(): void {
    this.#line.cut();
  }

  /** The extension host ends, and another begins: the run goes on, what was under way is forgotten. */
  async reload(): Promise<void> {
    await this.#bridge.close();
    this.#bridge = this.#open();
    await this.#bridge.restore();
  }

  /** The window is closed, and does not come back. */
  async shut(): Promise<void> {
    await this.#bridge.close();
    await this.#line.close();
  }

  endRun(): void {
    this.#run!.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#run?.end();
    await this.#bridge.close();
    await this.#line.close();
  }

  #open(): Bridge {
    return new Bridge({
      store: this.#store,
      port: () => 0,
      restoreTimeoutMs: 10_000,
      handle: (request, call) => {
        this.requests.push(request);
        for (const resolve of this.#waiting.splice(0)) resolve();
        return this.handle(request, call);
      },
      operations: { receive: () => false },
      submit: (_run, operationId) => ({ submitted: 'unknown', operationId }),
      left: () => undefined,
      runEnded: () => undefined,
      log: () => undefined,
    });
  }
}

/** A plain TCP relay. */
class Line {
  readonly #sockets = new Set<Socket>();
  #target: () => number | undefined = () => undefined;
  readonly #server: Server = createServer((near) => this.#relay(near));

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async listen(target: () => number | undefined): Promise<void> {
    this.#target = target;
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #relay(near: Socket): void {
    const port = this.#target();
    if (port === undefined) return void near.destroy();
    const far = connect({ port, host: '127.0.0.1', noDelay: true });
    near.setNoDelay(true);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}
