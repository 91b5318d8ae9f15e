import type { Command } from 'commander';
import type { Session } from '@fairlead/protocol';
import type { Cli, GlobalOptions } from '../../cli.ts';
import { connect } from '../../connect.ts';
import { findSession } from '../../find-session.ts';
import { Output } from '../../output.ts';
import { styledState } from '../../session-state.ts';
import { facts } from '../../table.ts';
import { formatDuration } from '../../units.ts';
import { labelsText, workspaceText } from './list.ts';

export function addShow(parent: Command, cli: Cli): void {
  parent
    .command('show')
    .description('All about one session')
    .argument('<session>', 'id, its beginning, or the label "name"')
    .action(async (text: string, _options, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const output = new Output(cli, options);
      const client = connect(cli, options);
      const session = await client.sessions.get(await findSession(client, text));
      output.value(session, () => facts(factsOf(session, output)));
    });
}

function factsOf(session: Session, output: Output): [string, string][] {
  const { cpus, memoryMb, pids } = session.limits;
  const limits = [
    cpus === undefined ? '' : `${cpus} processors`,
    memoryMb === undefined ? '' : `${memoryMb} MB`,
    pids === undefined ? '' : `${pids} processes`,
  ].filter(Boolean);
  const all: [string, string | null][] = [
    ['id', session.id],
    ['state', styledState(output, session.state)],
    ['reason', session.reason],
    ['owner', session.owner],
    ['driver', session.driver],
    ['image', session.image],
    ['workspace', workspaceText(session)],
    ['labels', labelsText(session.labels)],
    ['limits', limits.join(', ')],
    ['created', session.createdAt],
    ['last active', session.lastActiveAt],
    ['idle time-out', formatDuration(session.idleTimeoutSeconds)],
    ['expires', session.expiresAt ?? 'never'],
    ['OpenHands URL', session.url],
    ['web VS Code', session.editorUrl],
    ...session.apps.map(({ number, port, url }): [string, string] => [
      `app ${number}`,
      `${url} (port ${port})`,
    ]),
  ];
  return all.filter((pair): pair is [string, string] => pair[1] !== null && pair[1] !== '');
}
