import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { HttpError, invalidRequest } from './http-error.ts';
import { jsonErrorPosition } from './json-error-position.ts';

const bodyTimeoutMs = 60_000;

/** The whole body as text; refused as soon as it is known to be too long, and when it does not arrive in time. */
export async function readText(request: IncomingMessage, limitBytes: number): Promise<string> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limitBytes) throw tooLarge(request, limitBytes);
  const body = await collect(request, limitBytes);
  if (!isUtf8(body)) throw invalidRequest('body: not valid UTF-8; send JSON encoded as UTF-8');
  return body.toString('utf8');
}

export function parseJson(text: string): unknown {
  if (text.trim() === '') throw invalidRequest('body: Field required; send a JSON object');
  try {
    return JSON.parse(text);
  } catch {
    const position = Math.min(jsonErrorPosition(text), text.length);
    const found = position < text.length ? `found ${JSON.stringify(text.charAt(position))}` : 'the text ends';
    throw invalidRequest(`body: not valid JSON: ${found} at character ${position} of ${text.length}`);
  }
}

export async function readJson(request: IncomingMessage, limitBytes: number): Promise<unknown> {
  return parseJson(await readText(request, limitBytes));
}

function collect(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => {
      reject(new HttpError(408, 'The request body did not arrive in 60 seconds'));
      endSoon(request);
    }, bodyTimeoutMs);
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limitBytes) return void chunks.push(chunk);
      chunks.length = 0;
      reject(tooLarge(request, limitBytes));
    });
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.on('error', () => reject(new HttpError(400, 'The request ended before its body was complete')));
    request.on('close', () => clearTimeout(timer));
    request.on('end', () => clearTimeout(timer));
  });
}

function tooLarge(request: IncomingMessage, limitBytes: number): HttpError {
  endSoon(request);
  return new HttpError(413, `The request body is larger than the limit of ${limitBytes} bytes; send less`);
}

/** Gives the client time to read the answer while the rest of its body is thrown away. */
function endSoon(request: IncomingMessage): void {
  request.resume();
  const timer = setTimeout(() => request.complete || request.socket.destroy(), 5_000);
  timer.unref();
}
