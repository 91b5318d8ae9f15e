import { Agent, type IncomingMessage, request } from 'node:http';

export interface HttpClientOptions {
  headers?: Record<string, string>;
  /** How many requests it sends at a time. */
  connections?: number;
}

/** Connections that are kept, to a port of this machine or to a Unix socket. */
export class HttpClient {
  readonly #agent: Agent;
  readonly #where: { host: string; port: number } | { socketPath: string };
  readonly #headers: Record<string, string>;

  constructor(portOrSocket: number | string, { headers = {}, connections = 1 }: HttpClientOptions = {}) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
    this.#where =
      typeof portOrSocket === 'number'
        ? { host: '127.0.0.1', port: portOrSocket }
        : { socketPath: portOrSocket };
    this.#headers = headers;
  }

  post(path: string, body: string): Promise<string> {
    return this.send('POST', path, body);
  }

  send(method: 'GET' | 'POST' | 'DELETE', path: string, body = ''): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = {
        host: 'localhost',
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...this.#headers,
      };
      const options = { ...this.#where, agent: this.#agent, method, path, headers };
      const sent = request(options, (response) => void readAnswer(response).then(resolve, reject));
      sent.on('error', reject);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Rejects for every status that is no success. */
export async function readAnswer(response: IncomingMessage): Promise<string> {
  let text = '';
  response.setEncoding('utf8');
  for await (const piece of response) text += piece;
  const status = response.statusCode ?? 0;
  if (status < 200 || status >= 300) throw new Error(`status ${status}: ${text.slice(0, 1000)}`);
  return text;
}
