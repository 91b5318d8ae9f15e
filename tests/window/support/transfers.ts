import { forEachEntry, zipStream } from '@fairlead/executor';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import type { Caller } from '../../gateway/support/caller.ts';

/** Files that go to a session and come from it, as an OpenHands client sends and gets them. */
export class Transfers {
  readonly #base: string;
  readonly #headers: Record<string, string>;

  constructor(owner: Caller, sessionId: string) {
    this.#base = `${owner.url}/runtimes/${sessionId}`;
    this.#headers = { authorization: `Bearer ${owner.key}` };
  }

  async list(path: string): Promise<string[]> {
    const headers = { ...this.#headers, 'content-type': 'application/json' };
    const body = JSON.stringify({ path });
    const response = await fetch(`${this.#base}/list_files`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`list_files: ${response.status} ${await response.text()}`);
    return (await response.json()) as string[];
  }

  async upload(
    destination: string,
    name: string,
    content: string | Uint8Array<ArrayBuffer>,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<{ status: number; detail: string }> {
    const body = new FormData();
    body.append('file', new Blob([content]), name);
    const url = `${this.#base}/upload_file?destination=${encodeURIComponent(destination)}`;
    const response = await fetch(url, {
      method: 'POST',
      headers: this.#headers,
      body,
      ...(signal && { signal }),
    });
    return { status: response.status, detail: await response.text() };
  }

  async download(path: string): Promise<{ status: number; bytes: Buffer }> {
    const url = `${this.#base}/download_files?path=${encodeURIComponent(path)}`;
    const response = await fetch(url, { headers: this.#headers });
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
  }

  /** The texts of the files in a download, by name. */
  async filesIn(path: string): Promise<Record<string, string>> {
    const { status, bytes } = await this.download(path);
    if (status !== 200) throw new Error(`download_files: ${status} ${bytes.toString()}`);
    const directory = mkdtempSync(join(tmpdir(), 'fairlead-download-'));
    try {
      const zip = join(directory, 'download.zip');
      writeFileSync(zip, bytes);
      const texts: Record<string, string> = {};
      await forEachEntry(zip, async (entry) => {
        if (entry.kind === 'file') texts[entry.name] = await text(await entry.open());
      });
      return texts;
    } finally {
      rmSync(directory, { recursive: true });
    }
  }

  async zipOf(texts: Record<string, string>): Promise<Uint8Array<ArrayBuffer>> {
    const entries = Object.entries(texts).map(([name, content]) => ({
      kind: 'file' as const,
      name,
      mtime: new Date(0),
      mode: 0o100644,
      size: content.length,
      open: async () => Readable.from([Buffer.from(content)], { objectMode: false }),
    }));
    return new Uint8Array(await buffer(zipStream(entries)));
  }
}
