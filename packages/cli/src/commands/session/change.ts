import type { Command } from 'commander';
import type { Sessions } from '@fairlead/client';
import type { Session } from '@fairlead/protocol';
import type { Cli, GlobalOptions } from '../../cli.ts';
import { connect } from '../../connect.ts';
import { findSession } from '../../find-session.ts';
import { Output } from '../../output.ts';
import { styledState } from '../../session-state.ts';
import { parseDuration } from '../../units.ts';

interface Change {
  name: string;
  description: string;
  /** Undefined when the session is gone. */
  apply(sessions: Sessions, id: string, options: ChangeOptions): Promise<Session | undefined>;
}

interface ChangeOptions extends GlobalOptions {
  for?: number;
}

const changes: Change[] = [
  {
    name: 'pause',
    description: 'Stop all processes where they are; they keep their memory',
    apply: (sessions, id) => sessions.pause(id),
  },
  {
    name: 'resume',
    description: 'Go on from paused; start anew on the same workspace from stopped or failed',
    apply: (sessions, id) => sessions.resume(id),
  },
  {
    name: 'stop',
    description: 'End all processes and keep the workspace',
    apply: (sessions, id) => sessions.stop(id),
  },
  {
    name: 'delete',
    description: 'End all processes and remove the session with its journal and its own workspace',
    apply: (sessions, id) => sessions.delete(id).then(() => undefined),
  },
  {
    name: 'extend',
    description: 'Start the idle time anew; with --for let it live for that long from now at least',
    apply: (sessions, id, options) => sessions.extend(id, options.for),
  },
];

export function addChanges(parent: Command, cli: Cli): void {
  for (const change of changes) {
    const command = parent
      .command(change.name)
      .description(change.description)
      .argument('<session...>', 'ids, their beginnings, or labels "name"')
      .action(async (texts: string[], _options, command: Command) => {
        await applyToAll(cli, change, texts, command.optsWithGlobals<ChangeOptions>());
      });
    if (change.name === 'extend') command.option('--for <duration>', 'for example 2h', parseDuration);
  }
}

async function applyToAll(cli: Cli, change: Change, texts: string[], options: ChangeOptions): Promise<void> {
  const output = new Output(cli, options);
  const client = connect(cli, options);
  // All of them must be clear before the first is touched.
  const ids = await Promise.all(texts.map((text) => findSession(client, text)));
  for (const id of new Set(ids)) {
    const session = await change.apply(client.sessions, id, options);
    output.value(session ?? { id, deleted: true }, () => {
      return `${id} ${session === undefined ? 'deleted' : styledState(output, session.state)}`;
    });
  }
}
