import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { BodyBudget, clientOf, type Room } from './body-budget.ts';
import { HttpError, invalidRequest } from './http-error.ts';
import { jsonErrorPosition } from './json-error-position.ts';

const bodyTimeoutMs = 60_000;
const megabyte = 1024 * 1024;
/** Of this process: its memory is one. A client may send two of the largest bodies at a time. */
const budgetOfAll = new BodyBudget(256 * megabyte, 128 * megabyte);

/** The whole body as text; refused as soon as it is known to be too long, and when it does not arrive in time. */
export async function readText(
  request: IncomingMessage,
  limitBytes: number,
  budget = budgetOfAll,
): Promise<string> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limitBytes) {
    endSoon(request);
    throw tooLarge(limitBytes);
  }
  const body = await collect(request, limitBytes, budget);
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

function collect(request: IncomingMessage, limitBytes: number, budget: BodyBudget): Promise<Buffer> {
  return new Promise<Buffer>((resolve, reject) => {
    const client = clientOf(request);
    const chunks: Buffer[] = [];
    let size = 0;
    let isOver = false;
    const timer = setTimeout(() => {
      refuse(new HttpError(408, 'The request body did not arrive in 60 seconds'));
    }, bodyTimeoutMs);
    request.on('data', (chunk: Buffer) => {
      if (isOver) return;
      if (size + chunk.length > limitBytes) return refuse(tooLarge(limitBytes));
      const room = budget.hold(client, chunk.length);
      if (room !== 'free') return refuse(noRoom(room));
      size += chunk.length;
      chunks.push(chunk);
    });
    request.on('end', () => {
      if (!isOver) resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
      finish();
    });
    request.on('error', () => {
      reject(new HttpError(400, 'The request ended before its body was complete'));
      finish();
    });
    request.on('close', finish);

    function refuse(error: HttpError): void {
      reject(error);
      finish();
      endSoon(request);
    }

    function finish(): void {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      budget.release(client, size);
      chunks.length = 0;
    }
  });
}

function noRoom(room: Exclude<Room, 'free'>): HttpError {
  const retry = { 'retry-after': '1' };
  return room === 'own-share-full'
    ? new HttpError(
        429,
        'You are sending too much at once; send it again when the rest has arrived',
        {},
        retry,
      )
    : new HttpError(503, 'Too much is being sent to this server at once; try again in a moment', {}, retry);
}

function tooLarge(limitBytes: number): HttpError {
  return new HttpError(413, `The request body is larger than the limit of ${limitBytes} bytes; send less`);
}

/** Gives the client time to read the answer while the rest of its body is thrown away. */
function endSoon(request: IncomingMessage): void {
  request.resume();
  const timer = setTimeout(() => request.complete || request.socket.destroy(), 5_000);
  timer.unref();
}
