import type { Executor } from '@fairlead/executor';
import type { Tickets } from '@fairlead/http';
import type { Actions } from './actions.ts';
import type { EditorServer } from './editor-server/editor-server.ts';
import type { SandboxFiles } from './files.ts';
import type { EventStream } from './journal/event-stream.ts';
import type { Ports } from './ports/ports.ts';
import type { TerminalViewers } from './terminal-viewers.ts';

/** What a route gets besides the request. */
export interface Context {
  sandbox: Sandbox;
}

/** What a route gets on a server that has a machine of its own. */
export interface MachineContext {
  sandbox: MachineSandbox;
}

/** What the routes of one server stand on. */
export interface Sandbox {
  readonly executor: Executor;
  readonly workspace: string;
  readonly files: SandboxFiles;
  readonly actions: Actions;
  readonly events: EventStream;
  readonly viewers: TerminalViewers;
  readonly log: (line: string) => void;
}

export interface MachineSandbox extends Sandbox {
  readonly tickets: Tickets<true>;
  /** Loaded when it is asked for; none where the server was not told where it may listen. */
  readonly editor: () => Promise<EditorServer | undefined>;
  readonly ports: () => Promise<Ports>;
}
