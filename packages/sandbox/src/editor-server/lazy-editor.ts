import { hasHadEditor } from './editor-scope.ts';
import type { EditorOptions, EditorServer } from './editor-server.ts';

/** The editor server, loaded when it is first asked for, or when there is one to be taken over. */
export class LazyEditor {
  readonly #options: EditorOptions | undefined;
  #opening: Promise<EditorServer> | undefined;
  #open: EditorServer | undefined;

  constructor(options: EditorOptions | undefined) {
    this.#options = options;
    if (options !== undefined && hasHadEditor(options.sessionDir)) void this.get();
  }

  async get(): Promise<EditorServer | undefined> {
    return this.#options && (this.#opening ??= this.#load(this.#options));
  }

  holds(pid: number): boolean {
    return this.#open?.holds(pid) === true;
  }

  async close(): Promise<void> {
    await (await this.#opening)?.close();
  }

  async #load(options: EditorOptions): Promise<EditorServer> {
    const { EditorServer } = await import('./editor-server.ts');
    this.#open = new EditorServer(options);
    if (hasHadEditor(options.sessionDir)) await this.#open.takeOver();
    return this.#open;
  }
}
