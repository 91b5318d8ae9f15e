import type { Command } from 'commander';
import type { WindowInstance } from '@fairlead/protocol';
import type { Cli, GlobalOptions } from '../cli.ts';
import { connect } from '../connect.ts';
import { harmless } from '../harmless.ts';
import { Output } from '../output.ts';
import { table } from '../table.ts';

interface ListOptions extends GlobalOptions {
  watch?: boolean;
}

export function addWindow(program: Command, cli: Cli): void {
  const window = program.command('window').description('VS Code windows that let agents work in them');
  window
    .command('list')
    .alias('ls')
    .description('The windows that are connected, and the sessions in them')
    .option('-w, --watch', 'go on with what changes, until Ctrl-C')
    .action((_options, command: Command) => list(cli, command.optsWithGlobals<ListOptions>()));
  window
    .command('pair')
    .description('Make a link that lets one window connect; good once, for ten minutes')
    .action((_options, command: Command) => pair(cli, command.optsWithGlobals<GlobalOptions>()));
  window
    .command('forget')
    .description('Disconnect a window, end its sessions, and revoke the key that it was paired with')
    .argument('<id>', 'as "fairlead window list" shows it')
    .action((id: string, _options, command: Command) =>
      forget(cli, id, command.optsWithGlobals<GlobalOptions>()),
    );
}

async function list(cli: Cli, options: ListOptions): Promise<void> {
  const output = new Output(cli, options);
  const { windows } = connect(cli, options);
  if (!options.watch) return show(await windows.list(), output);
  const end = new AbortController();
  const stop = () => end.abort();
  process.on('SIGINT', stop);
  for await (const now of windows.watch({ signal: end.signal })) show(now, output);
  process.off('SIGINT', stop);
}

function show(windows: WindowInstance[], output: Output): void {
  if (windows.length === 0 && !output.isJson) {
    return output.note('No window is connected. "fairlead window pair" makes a link that lets one in.');
  }
  output.value(windows, () => {
    const titles = ['ID', 'NAME', 'FOLDERS', 'EDITOR', 'AGENTS'];
    return table(
      titles.map((title) => output.style('dim', title)),
      windows.map(rowOf),
    );
  });
}

function rowOf(window: WindowInstance): string[] {
  const { connection_id, workspace_name, workspace_path, folders, remote_name, sessions } = window;
  const paths = folders.length === 0 ? [workspace_path] : folders.map(({ path, uri }) => path ?? uri);
  const trust = window.is_trusted ? '' : ', restricted';
  const place = remote_name === null ? '' : ` on ${remote_name}`;
  const agents = window.takes_sessions ? sessions.map(({ agent }) => agent).join(', ') : 'takes no sessions';
  return [
    connection_id,
    workspace_name,
    paths.join(', '),
    `${window.app_name || 'VS Code'} ${window.vscode_version}${place}${trust}`,
    agents,
  ].map(harmless);
}

async function pair(cli: Cli, options: GlobalOptions): Promise<void> {
  const output = new Output(cli, options);
  const pairing = await connect(cli, options).windows.pair();
  output.value(pairing, () => pairing.link);
  output.note(
    `Open this link on the machine where VS Code runs, or paste it there: command palette, "Fairlead: Sign In to a Gateway". ` +
      `The window dials ${pairing.url}. The link is good once, until ${clock(pairing.expiresAt)}.`,
  );
}

async function forget(cli: Cli, id: string, options: GlobalOptions): Promise<void> {
  const output = new Output(cli, options);
  await connect(cli, options).windows.forget(id);
  output.value({ id }, () => `${id} forgotten`);
}

function clock(time: string): string {
  return new Date(time).toTimeString().slice(0, 5);
}
