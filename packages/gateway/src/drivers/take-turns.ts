/** Work on one id after the other, on different ids at once. */
export interface Turns {
  <Value>(id: string, work: () => Promise<Value>): Promise<Value>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

export function takeTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  const turns = <Value>(id: string, work: () => Promise<Value>): Promise<Value> => {
    const before = last.get(id) ?? Promise.resolve();
    const mine = before.then(work);
    const done = mine
      .catch(() => undefined)
      .then(() => {
        if (last.get(id) === done) last.delete(id);
      });
    last.set(id, done);
    return mine;
  };
  const settled = async () => {
    await Promise.all(last.values());
  };
  return Object.assign(turns, { settled });
}
