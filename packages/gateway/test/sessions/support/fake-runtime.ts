import type { Runtime, RuntimeListener } from '../../../src/runtime/runtime.ts';

/** A runtime whose event stream a test speaks for. */
export class FakeRuntime implements Runtime {
  /** Of every stream that was opened, where it was to begin. */
  readonly places: (number | undefined)[] = [];
  listener: RuntimeListener | undefined;
  readonly #opened = Promise.withResolvers<void>();

  constructor({ isOpening = true } = {}) {
    if (isOpening) this.#opened.resolve();
  }

  execute(): Promise<string> {
    return Promise.reject(new Error('not part of this test'));
  }

  isAlive(): Promise<boolean> {
    return Promise.resolve(true);
  }

  watch(listener: RuntimeListener, place: number | undefined) {
    this.places.push(place);
    this.listener = listener;
    return { opened: this.#opened.promise, close: () => (this.listener = undefined) };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  open(): void {
    this.#opened.resolve();
  }

  print(actionId: string, data: string): void {
    this.listener?.onOutput({ time: '2026-01-01T00:00:00.000Z', actionId, shell: 'main', data });
  }
}
