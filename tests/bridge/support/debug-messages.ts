import type { Readable, Writable } from 'node:stream';

export interface DebugMessage {
  type: 'event' | 'response' | 'request';
  event?: string;
  request_seq?: number;
  body?: Record<string, unknown>;
}

/** The side of VS Code in a debug session: messages with a `Content-Length` on the adapter's standard streams. */
export class DebugMessages {
  readonly #input: Writable;
  readonly #answers = new Map<number, (message: DebugMessage) => void>();
  readonly #events: DebugMessage[] = [];
  readonly #waiting = new Map<string, (body: Record<string, unknown>) => void>();
  #seq = 0;
  #data = Buffer.alloc(0);
  onMessage: (message: DebugMessage) => void = () => undefined;

  constructor(output: Readable, input: Writable) {
    this.#input = input;
    output.on('data', (data: Buffer) => this.#receive(data));
  }

  request(command: string, args: Record<string, unknown>): Promise<DebugMessage> {
    const seq = (this.#seq += 1);
    const text = Buffer.from(JSON.stringify({ seq, type: 'request', command, arguments: args }));
    this.#input.write(`Content-Length: ${text.length}\r\n\r\n`);
    this.#input.write(text);
    return new Promise((resolve) => this.#answers.set(seq, resolve));
  }

  /** The body of the next event of that name, also of one that has come already. */
  event(name: string): Promise<Record<string, unknown>> {
    const index = this.#events.findIndex(({ event }) => event === name);
    if (index >= 0) return Promise.resolve(this.#events.splice(index, 1)[0]!.body ?? {});
    return new Promise((resolve) => this.#waiting.set(name, resolve));
  }

  #receive(data: Buffer): void {
    this.#data = Buffer.concat([this.#data, data]);
    for (;;) {
      const end = this.#data.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/i.exec(this.#data.subarray(0, end).toString())?.[1]);
      if (end < 0 || this.#data.length < end + 4 + length) return;
      const text = this.#data.subarray(end + 4, end + 4 + length).toString();
      this.#data = this.#data.subarray(end + 4 + length);
      this.#take(JSON.parse(text) as DebugMessage);
    }
  }

  #take(message: DebugMessage): void {
    this.onMessage(message);
    if (message.type === 'response') this.#answers.get(message.request_seq!)?.(message);
    if (message.type !== 'event') return;
    const wait = this.#waiting.get(message.event!);
    this.#waiting.delete(message.event!);
    if (wait === undefined) this.#events.push(message);
    else wait(message.body ?? {});
  }
}
