import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { HttpError, invalidRequest } from '@fairlead/http';

const idleTimeoutMs = 60_000;
const limits = { fieldSize: 1024 * 1024, fields: 100, headerPairs: 100 };

/** Hands the multipart field `file` to `store` as it arrives; answers with its name when it is stored. */
export function receiveFile(
  request: IncomingMessage,
  store: (stream: Readable, name: string) => Promise<void>,
): Promise<string> {
  const parser = openParser(request);
  const stopWaiting = endWhenIdle(request);
  return new Promise<string>((resolve, reject) => {
    let stored: Promise<string> | undefined;
    let current: Readable | undefined;
    parser.on('file', (field, stream, name) => {
      stream.on('error', () => undefined);
      if (field !== 'file' || stored !== undefined) return void stream.resume();
      current = stream;
      stored = storeNamed(stream, name, store);
      stored.catch(reject);
    });
    parser.on('finish', () => (stored === undefined ? reject(missingFile()) : resolve(stored)));
    parser.on('error', (error: Error) => endEarly(error.message));
    request.on('close', () => request.complete || endEarly('the connection was closed'));
    request.pipe(parser);

    /** The half that has come must not be stored as if it were the whole. */
    function endEarly(reason: string): void {
      const failure = new HttpError(400, `The multipart body is damaged or incomplete: ${reason}`);
      current?.destroy(failure);
      reject(failure);
    }
  }).finally(() => {
    // What still comes is thrown away, or the client never gets to the answer.
    request.unpipe(parser);
    request.resume();
    stopWaiting();
  });
}

/** By a timer of its own: a connection from elsewhere than the network has none, and the answer may take longer than that. */
function endWhenIdle(request: IncomingMessage): () => void {
  const timer = setTimeout(() => request.destroy(), idleTimeoutMs);
  const stop = () => clearTimeout(timer);
  request.on('data', () => timer.refresh());
  request.once('end', stop);
  return stop;
}

function openParser(request: IncomingMessage): BusboyInstance {
  const contentType = request.headers['content-type'];
  if (contentType === undefined || !contentType.startsWith('multipart/form-data')) {
    throw missingFile();
  }
  try {
    return new Busboy({ headers: { ...request.headers, 'content-type': contentType }, limits });
  } catch (error) {
    throw invalidRequest(`content-type: ${(error as Error).message}`);
  }
}

async function storeNamed(
  stream: Readable,
  name: string | undefined,
  store: (stream: Readable, name: string) => Promise<void>,
): Promise<string> {
  if (name === undefined || name === '' || name === '.' || name === '..' || name.includes('\0')) {
    throw invalidRequest(
      `file: ${JSON.stringify(name ?? '')} is not a file name; set "filename" of the field`,
    );
  }
  await store(stream, name);
  return name;
}

function missingFile(): HttpError {
  return invalidRequest('file: Field required; send multipart/form-data with a field "file"');
}
