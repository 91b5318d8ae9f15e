/** The latest values of each owner; older ones are forgotten. */
export class RecentOf<Value> {
  readonly #most: number;
  readonly #values = new Map<string, Set<Value>>();

  constructor(most: number) {
    this.#most = most;
  }

  has(owner: string, value: Value): boolean {
    return this.#values.get(owner)?.has(value) === true;
  }

  add(owner: string, value: Value): void {
    const values = this.#values.get(owner) ?? new Set();
    this.#values.set(owner, values.add(value));
    for (const oldest of values) {
      if (values.size <= this.#most) return;
      values.delete(oldest);
    }
  }

  forget(owner: string): void {
    this.#values.delete(owner);
  }
}
