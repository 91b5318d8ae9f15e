import type { Executor } from '@fairlead/executor';
import type { Tickets } from '@fairlead/http';
import type { Actions } from './actions.ts';
import type { EventStream } from './journal/event-stream.ts';
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
  readonly log: (line: string) => void;
}
