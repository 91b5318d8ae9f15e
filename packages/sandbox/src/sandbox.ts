import type { Executor } from '@fairlead/executor';
import type { Tickets } from '@fairlead/http';
import type { Actions } from './actions.ts';
import type { EditorServer } from './editor-server/editor-server.ts';
import type { EventStream } from './journal/event-stream.ts';
import type { Ports } from './ports/ports.ts';
import type { TerminalViewers } from './terminal-viewers.ts';

/** What a route gets besides the request. */
export interface Context {
  sandbox: Sandbox;
}

/** What the routes of one server stand on. */
export interface Sandbox {
  readonly executor: Executor;
  readonly workspace: string;
  /** Whose uploaded files are; the server's own user's when absent. */
  readonly owner?: { uid: number; gid: number };
  readonly actions: Actions;
  readonly events: EventStream;
  readonly tickets: Tickets<true>;
  readonly viewers: TerminalViewers;
  /** Loaded when it is asked for; none where the server was not told where it may listen. */
  readonly editor: () => Promise<EditorServer | undefined>;
  readonly ports: () => Promise<Ports>;
  readonly log: (line: string) => void;
}
