import { type Command, Option } from 'commander';
import { type Session, type SessionState, sessionStates } from '@fairlead/protocol';
import type { Cli, GlobalOptions } from '../../cli.ts';
import { connect } from '../../connect.ts';
import { Output } from '../../output.ts';
import { styledState } from '../../session-state.ts';
import { table } from '../../table.ts';
import { collect, formatDuration, parsePairs } from '../../units.ts';

interface ListOptions extends GlobalOptions {
  state?: SessionState[];
  label?: string[];
}

export function addList(parent: Command, cli: Cli): void {
  parent
    .command('list')
    .alias('ls')
    .description('Your sessions, newest first')
    .addOption(new Option('--state <state...>', 'only those in one of these states').choices(sessionStates))
    .option('--label <name=value>', 'only those with this label (again for more)', collect)
    .action(async (_options, command: Command) => {
      await list(cli, command.optsWithGlobals<ListOptions>());
    });
}

async function list(cli: Cli, options: ListOptions): Promise<void> {
  const output = new Output(cli, options);
  const labels = parsePairs(options.label, () => undefined, '--label');
  const sessions = await connect(cli, options).sessions.list({ states: options.state ?? [], labels });
  if (sessions.length === 0 && !output.isJson)
    return output.note('No sessions. "fairlead session create" makes one.');
  output.value(sessions, () => {
    const titles = ['ID', 'STATE', 'DRIVER', 'AGE', 'IDLE', 'WORKSPACE', 'LABELS'];
    return table(
      titles.map((title) => output.style('dim', title)),
      sessions.map((session) => rowOf(session, output)),
    );
  });
}

function rowOf(session: Session, output: Output): string[] {
  const { id, state, driver, image, createdAt, lastActiveAt, labels } = session;
  return [
    id,
    styledState(output, state),
    image === null ? driver : `${driver} ${image}`,
    formatDuration(secondsSince(createdAt)),
    state === 'running' ? formatDuration(secondsSince(lastActiveAt)) : '',
    workspaceText(session),
    labelsText(labels),
  ];
}

export function workspaceText({ workspace, windowId }: Session): string {
  if (windowId !== null) return `window ${windowId}`;
  if (workspace.kind === 'folder') return workspace.path;
  if (workspace.kind === 'git')
    return workspace.url + (workspace.ref === undefined ? '' : `@${workspace.ref}`);
  return 'own';
}

export function labelsText(labels: Record<string, string>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

function secondsSince(time: string): number {
  return (Date.now() - Date.parse(time)) / 1000;
}
