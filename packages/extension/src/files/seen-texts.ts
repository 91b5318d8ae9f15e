import { createHash } from 'node:crypto';

const filesPerAgent = 200;

/** The unsaved texts that each agent knows: what it has read, or left behind itself, it may replace. */
export class SeenTexts {
  readonly #agents = new Map<string, Map<string, string>>();

  add(sessionId: string, file: string, served: Uint8Array): void {
    const files = this.#agents.get(sessionId) ?? new Map<string, string>();
    this.#agents.set(sessionId, files);
    files.delete(file);
    files.set(file, digest(served));
    if (files.size > filesPerAgent) files.delete(files.keys().next().value!);
  }

  has(sessionId: string, file: string, served: Uint8Array): boolean {
    return this.#agents.get(sessionId)?.get(file) === digest(served);
  }

  forget(sessionId: string): void {
    this.#agents.delete(sessionId);
  }
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}
