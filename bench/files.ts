import { randomBytes } from 'node:crypto';
import { open, statfs } from 'node:fs/promises';
import { get, request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Row } from './runner.ts';
import { readAnswer } from './support/http-client.ts';
import { watchMemory } from './support/process-facts.ts';
import { figureBelow } from './support/rows.ts';
import { timeMs } from './support/samples.ts';
import { type Place, SandboxServer } from './support/sandbox-server.ts';

export const title = 'files';
export const description = 'a 1 GB upload and a 1 GB download: memory and throughput';

const block = randomBytes(1_000_000);
const blocks = 1000;
const fileBytes = block.length * blocks;
const neededBytes = 2.2 * fileBytes;

export async function run(): Promise<Row[]> {
  return [
    ...(await measure('upload', ({ port, place }) => upload(port, place.workspace))),
    ...(await measure('download', ({ port, place }) => download(port, fileIn(place)), makeFile)),
  ];
}

/** Each in a server of its own: memory that one transfer has taken would hide what the next one takes. */
async function measure(
  name: string,
  transfer: (server: SandboxServer) => Promise<void>,
  prepare: (place: Place) => Promise<void> = async () => undefined,
): Promise<Row[]> {
  const server = await SandboxServer.start('pty');
  try {
    await checkDisk(server.place.directory);
    await prepare(server.place);
    await server.run('true');
    const memory = watchMemory(server.process.pid);
    const megabytesPerSecond = fileBytes / 1e3 / (await timeMs(() => transfer(server)));
    const growthMegabytes = memory.growthMegabytes();
    return [
      figureBelow({ what: `1 GB ${name}: memory growth`, figure: growthMegabytes, unit: 'MB', bar: 64 }),
      figureBelow({ what: `1 GB ${name}: throughput`, figure: megabytesPerSecond, unit: 'MB/s' }),
    ];
  } finally {
    await server.close();
  }
}

const fileIn = ({ workspace }: Place) => join(workspace, 'large.bin');

async function makeFile(place: Place): Promise<void> {
  const file = await open(fileIn(place), 'w');
  for (let count = 0; count < blocks; count += 1) await file.write(block);
  await file.close();
}

async function checkDisk(directory: string): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize >= neededBytes) return;
  throw new Error(
    `${directory} has ${Math.floor((bavail * bsize) / 1e6)} MB free and ${neededBytes / 1e6} MB are needed: ` +
      'free some, or set TMPDIR to a larger disk',
  );
}

async function upload(port: number, directory: string): Promise<void> {
  const boundary = 'fairlead-bench-boundary';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n\r\n`;
  const tail = `\r\n--${boundary}--\r\n`;
  const sent = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: `/upload_file?destination=${encodeURIComponent(directory)}&recursive=false`,
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': head.length + fileBytes + tail.length,
    },
  });
  const answer = new Promise<string>((resolve, reject) => {
    sent.on('response', (response) => void readAnswer(response).then(resolve, reject));
    sent.on('error', reject);
  });
  await Promise.all([pipeline(Readable.from(multipart(head, tail)), sent), answer]);
}

function* multipart(head: string, tail: string): Generator<Buffer> {
  yield Buffer.from(head);
  for (let count = 0; count < blocks; count += 1) yield block;
  yield Buffer.from(tail);
}

function download(port: number, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const address = `http://127.0.0.1:${port}/download_files?path=${encodeURIComponent(path)}`;
    get(address, (response) => {
      let bytes = 0;
      response.on('data', (piece: Buffer) => (bytes += piece.length));
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200 && bytes >= fileBytes) resolve();
        else reject(new Error(`The download ended with status ${response.statusCode} after ${bytes} bytes`));
      });
    }).on('error', reject);
  });
}
