import type { AttachableShell, SessionShells, ShellOutput } from '@fairlead/executor';
import { HttpError } from '@fairlead/http';

/**
 * An agent's shells for people far away: to look at, and to end. What is typed into a shell is a command, which only the
 * user at the window can allow; and a shell is opened by an action that the user has allowed.
 */
export class ViewedShells implements SessionShells {
  readonly #shells: SessionShells;
  /** Who looks at the same shell looks at the same view of it. */
  readonly #views = new WeakMap<AttachableShell, AttachableShell>();

  constructor(shells: SessionShells) {
    this.#shells = shells;
  }

  names(): string[] {
    return this.#shells.names();
  }

  async open(name: string): Promise<AttachableShell> {
    if (!this.#shells.names().includes(name)) throw new HttpError(404, notOpen);
    const shell = await this.#shells.open(name);
    const view = this.#views.get(shell) ?? viewOf(shell);
    this.#views.set(shell, view);
    return view;
  }

  end(name: string): Promise<boolean> {
    return this.#shells.end(name);
  }

  onOutput(listener: (output: ShellOutput) => void): () => void {
    return this.#shells.onOutput(listener);
  }

  onEnd(listener: (name: string) => void): () => void {
    return this.#shells.onEnd(listener);
  }

  holds(pid: number): boolean {
    return this.#shells.holds(pid);
  }
}

const notOpen = "the shell is not open in this window; it opens with the agent's first command";

function viewOf(shell: AttachableShell): AttachableShell {
  return {
    name: shell.name,
    get cwd() {
      return shell.cwd;
    },
    get pid() {
      return shell.pid;
    },
    get size() {
      return shell.size;
    },
    type: () => undefined,
    resize: () => undefined,
    lend: () => undefined,
    recentOutput: () => shell.recentOutput(),
  };
}
