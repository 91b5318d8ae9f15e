import { request as httpRequest, type IncomingMessage } from 'node:http';
import { onTestFinished } from 'vitest';
import type { Headers } from './test-gateway.ts';

export interface OpenStream {
  headers: IncomingMessage['headers'];
  readonly text: string;
  until(isEnough: (text: string) => boolean): Promise<void>;
  /** Resolves when the server has ended it. */
  ended: Promise<void>;
  leave(): void;
}

/** Server-sent events, as text. */
export function openStream(port: number, path: string, headers: Headers): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const accept = { ...headers, accept: 'text/event-stream' };
    const request = httpRequest({ host: '127.0.0.1', port, path, headers: accept }, (response) => {
      let text = '';
      let wake: () => void = () => undefined;
      response.on('data', (chunk) => {
        text += String(chunk);
        wake();
      });
      response.on('error', () => undefined);
      const ended = new Promise<void>((go) => response.on('close', go));
      resolve({
        headers: response.headers,
        get text() {
          return text;
        },
        async until(isEnough) {
          while (!isEnough(text)) await new Promise<void>((go) => (wake = go));
        },
        ended,
        leave: () => request.destroy(),
      });
    });
    request.on('error', reject);
    request.end();
    onTestFinished(() => void request.destroy());
  });
}
