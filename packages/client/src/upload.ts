import { type Connection, request } from './http.ts';

export type UploadData = Blob | Uint8Array<ArrayBuffer> | string | ReadableStream<Uint8Array>;

export interface UploadOptions {
  /** Absolute; made when missing. */
  directory: string;
  /** Of the new file. */
  name: string;
  /** A zip that is unpacked into the directory rather than stored. */
  isArchive?: boolean;
  signal?: AbortSignal;
}

/** Stores a file in a session, as a stream where the data is one. */
export async function upload(
  connection: Connection,
  session: string,
  data: UploadData,
  { directory, name, isArchive = false, signal }: UploadOptions,
): Promise<void> {
  const query = { destination: directory, recursive: String(isArchive) };
  const path = `runtimes/${session}/upload_file`;
  const content = data instanceof ReadableStream ? streamedForm(data, name) : plainForm(data, name);
  const response = await request(connection, 'POST', path, { ...content, query, signal });
  await response.body?.cancel();
}

function plainForm(data: Exclude<UploadData, ReadableStream>, name: string): { body: FormData } {
  const body = new FormData();
  body.set('file', data instanceof Blob ? data : new Blob([data]), name);
  return { body };
}

/** `FormData` cannot hold a stream. */
function streamedForm(
  data: ReadableStream<Uint8Array>,
  name: string,
): { body: ReadableStream<Uint8Array>; headers: Record<string, string> } {
  const boundary = `fairlead-${Array.from(crypto.getRandomValues(new Uint8Array(16)), hex).join('')}`;
  const encoder = new TextEncoder();
  const head =
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${escaped(name)}"\r\n` +
    'content-type: application/octet-stream\r\n\r\n';
  const body = data.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => controller.enqueue(encoder.encode(head)),
      flush: (controller) => controller.enqueue(encoder.encode(`\r\n--${boundary}--\r\n`)),
    }),
  );
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } };
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

/** As browsers do it. */
function escaped(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}
