import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

/**
 * A program: a registry with one file system (a tar archive, the argument) under two names. `slow` takes two seconds to
 * send it, `stuck` stops half-way. Prints its port.
 */
const pieces = 20;
const betweenPiecesMs = 100;

const manifestType = 'application/vnd.docker.distribution.manifest.v2+json';
const tar = readFileSync(process.argv[2]!);
// Compressed differently, so that the engine does not know the one from the other.
const images = {
  slow: makeImage(gzipSync(tar, { level: 1 })),
  stuck: makeImage(gzipSync(tar, { level: 2 })),
};

const server = createServer((request, response) => {
  const [, name = '', , reference = ''] = /^\/v2\/(\w+)\/(manifests|blobs)\/(.+)$/.exec(request.url!) ?? [];
  if (name !== 'slow' && name !== 'stuck') return void response.end('{}');
  const { manifest, config, layer } = images[name];
  if (reference === 'latest' || reference === manifest.digest) {
    response.setHeader('Docker-Content-Digest', manifest.digest);
    response.setHeader('Content-Type', manifestType);
    response.setHeader('Content-Length', manifest.bytes.length);
    response.end(request.method === 'HEAD' ? undefined : manifest.bytes);
  } else if (reference === config.digest) response.end(config.bytes);
  else if (reference === layer.digest) void sendSlowly(response, layer.bytes, name === 'stuck');
  else response.writeHead(404).end();
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));

async function sendSlowly(response: ServerResponse, bytes: Buffer, isStuck: boolean): Promise<void> {
  response.setHeader('Content-Length', bytes.length);
  const size = Math.ceil(bytes.length / pieces);
  for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
    if (isStuck && at > bytes.length / 2) return;
    response.write(bytes.subarray(at, at + size));
    await delay(betweenPiecesMs);
  }
  response.end();
}

function makeImage(layerBytes: Buffer) {
  const layer = blob(layerBytes);
  const config = blob(
    JSON.stringify({
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      os: 'linux',
      config: {},
      rootfs: { type: 'layers', diff_ids: [digest(tar)] },
    }),
  );
  const manifest = blob(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: manifestType,
      config: described('application/vnd.docker.container.image.v1+json', config),
      layers: [described('application/vnd.docker.image.rootfs.diff.tar.gzip', layer)],
    }),
  );
  return { layer, config, manifest };
}

function blob(content: string | Buffer): { bytes: Buffer; digest: string } {
  const bytes = Buffer.from(content);
  return { bytes, digest: digest(bytes) };
}

function digest(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function described(mediaType: string, { bytes, digest: name }: ReturnType<typeof blob>): object {
  return { mediaType, size: bytes.length, digest: name };
}
