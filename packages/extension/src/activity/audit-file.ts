import { appendFile, chmod, mkdir, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { redact } from './redact.ts';

const mostBytes = 5 * 1024 * 1024;

/** Lines of JSON that only the user can read. Windows share the file; each line is one append. */
export class AuditFile {
  readonly path: string;
  /** The file before the last change of files. */
  readonly olderPath: string;
  readonly #failed: (error: unknown) => void;
  #writes: Promise<void>;

  constructor(path: string, failed: (error: unknown) => void) {
    this.path = path;
    this.olderPath = path.replace(/(\.jsonl)?$/, '.old$1');
    this.#failed = failed;
    this.#writes = mkdir(dirname(path), { recursive: true }).then(() => undefined, failed);
  }

  add(record: Record<string, unknown>): void {
    const line = JSON.stringify(record, redacted) + '\n';
    this.#writes = this.#writes.then(() => this.#append(line)).catch(this.#failed);
  }

  /** Settles when everything added so far is in the file. */
  async flushed(): Promise<void> {
    await this.#writes;
  }

  async #append(line: string): Promise<void> {
    const { size } = await stat(this.path).catch(() => ({ size: 0 }));
    if (size > 0 && size + Buffer.byteLength(line) > mostBytes) await rename(this.path, this.olderPath);
    await appendFile(this.path, line, { mode: 0o600 });
    // The mode of a new file is subject to the umask, that of an old one to its history.
    if (size === 0) await chmod(this.path, 0o600);
  }
}

function redacted(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? redact(value) : value;
}
