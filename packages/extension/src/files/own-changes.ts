/** Which agent changes which file just now, so that it is not told of its own changes as if they were another's. */
export class OwnChanges {
  readonly #running = new Set<{ sessionId: string; files: Set<string> }>();

  /** What VS Code reports of these files while `work` runs comes from it. */
  async by<Value>(
    sessionId: string,
    uris: { toString(): string }[],
    work: () => Promise<Value>,
  ): Promise<Value> {
    const change = { sessionId, files: new Set(uris.map(String)) };
    this.#running.add(change);
    try {
      return await work();
    } finally {
      this.#running.delete(change);
    }
  }

  isBy(sessionId: string, uri: { toString(): string }): boolean {
    return [...this.#running].some(
      (change) => change.sessionId === sessionId && change.files.has(String(uri)),
    );
  }
}
