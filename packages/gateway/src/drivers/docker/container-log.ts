import type Docker from 'dockerode';

const tailLines = 3;
const frameHeaderBytes = 8;

/** The end of what the container itself printed, as the end of a sentence, or nothing: what failed before the server's log. */
export async function containerLog(container: Docker.Container): Promise<string> {
  const wish = { stdout: true, stderr: true, tail: tailLines, follow: false } as const;
  const frames = await container.logs(wish).catch(() => Buffer.alloc(0));
  const lines = text(frames)
    .split('\n')
    .map((line) => line.replace(/\p{Cc}/gu, ' ').trim())
    .filter((line) => line !== '');
  return lines.length === 0 ? '' : `. Its container said: ${lines.join(' / ')}`;
}

/** The engine sends frames: which stream, three bytes of nothing, the length, the bytes. */
function text(frames: Buffer): string {
  const pieces: Buffer[] = [];
  for (let at = 0; at + frameHeaderBytes <= frames.length;) {
    const end = at + frameHeaderBytes + frames.readUInt32BE(at + 4);
    pieces.push(frames.subarray(at + frameHeaderBytes, end));
    at = end;
  }
  return Buffer.concat(pieces).toString();
}
