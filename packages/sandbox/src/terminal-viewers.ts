import type { AttachableShell } from '@fairlead/executor';

type Size = AttachableShell['size'];

/** Who looks at which shell, so that the last one to leave gives the shell its own size back. */
export class TerminalViewers {
  readonly #byShell = new Map<string, Group>();

  join(session: AttachableShell, viewer: Viewer): () => void {
    const known = this.#byShell.get(session.name);
    const group = known?.session === session ? known : newGroup(session);
    this.#byShell.set(session.name, group);
    group.viewers.add(viewer);
    return () => {
      if (!group.viewers.delete(viewer) || group.viewers.size > 0) return;
      if (this.#byShell.get(session.name) === group) this.#byShell.delete(session.name);
      if (!isSame(session.size, group.size)) session.resize(group.size);
    };
  }

  /** The shell is gone: its viewers are told. */
  end(shell: string): void {
    const group = this.#byShell.get(shell);
    this.#byShell.delete(shell);
    for (const viewer of group?.viewers ?? []) viewer.end(`the shell "${shell}" was ended`);
    group?.viewers.clear();
  }
}

interface Group {
  session: AttachableShell;
  /** Before the first viewer came. */
  size: Size;
  viewers: Set<Viewer>;
}

function newGroup(session: AttachableShell): Group {
  return { session, size: { ...session.size }, viewers: new Set() };
}

export interface Viewer {
  end(reason: string): void;
}

function isSame(a: Size, b: Size): boolean {
  return a.cols === b.cols && a.rows === b.rows;
}
