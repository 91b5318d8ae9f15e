import { Agent, type IncomingMessage, request } from 'node:http';

/** One connection that is kept. */
export class HttpClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly port: number;

  constructor(port: number) {
    this.port = port;
  }

  post(path: string, body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const options = {
        host: '127.0.0.1',
        port: this.port,
        agent: this.#agent,
        method: 'POST',
        path,
        headers,
      };
      const sent = request(options, (response) => void readAnswer(response).then(resolve, reject));
      sent.on('error', reject);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Rejects for every status but 200. */
export async function readAnswer(response: IncomingMessage): Promise<string> {
  let text = '';
  response.setEncoding('utf8');
  for await (const piece of response) text += piece;
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}: ${text.slice(0, 1000)}`);
  return text;
}
