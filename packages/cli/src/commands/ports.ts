import type { Command } from 'commander';
import type { SessionHandle } from '@fairlead/client';
import type { ShownPort } from '@fairlead/protocol';
import type { Cli, GlobalOptions } from '../cli.ts';
import { connect } from '../connect.ts';
import { findSession } from '../find-session.ts';
import { harmless } from '../harmless.ts';
import { Output } from '../output.ts';
import { table } from '../table.ts';

interface PortsOptions extends GlobalOptions {
  watch?: boolean;
}

export function addPorts(program: Command, cli: Cli): void {
  program
    .command('ports')
    .description('The app ports of a session, what listens on them and elsewhere, and where browsers find it')
    .argument('<session>', 'id, its beginning, or the label "name"')
    .option('-w, --watch', 'go on with what changes, until Ctrl-C')
    .action(async (session: string, _options, command: Command) => {
      await ports(cli, session, command.optsWithGlobals<PortsOptions>());
    });
}

async function ports(cli: Cli, session: string, options: PortsOptions): Promise<void> {
  const output = new Output(cli, options);
  const client = connect(cli, options);
  const handle = client.session(await findSession(client, session));
  if (options.watch) return watch(handle, output);
  const list = await handle.ports();
  if (list.length === 0 && !output.isJson)
    return output.note('Nothing listens in it, and it has no app ports.');
  output.value(list, () => portTable(list, output));
}

async function watch(handle: SessionHandle, output: Output): Promise<void> {
  const end = new AbortController();
  const stop = () => end.abort();
  process.on('SIGINT', stop);
  let before: ShownPort[] | undefined;
  for await (const now of handle.watchPorts({ signal: end.signal })) {
    const known = before;
    output.value(now, () => (known === undefined ? portTable(now, output) : changes(known, now, output)));
    before = now;
  }
  process.off('SIGINT', stop);
}

function portTable(list: ShownPort[], output: Output): string {
  const titles = ['PORT', 'APP', 'ADDRESS', 'COMMAND', 'URL'];
  return table(
    titles.map((title) => output.style('dim', title)),
    list.map(({ port, number, address, command, url }) => [
      String(port),
      number === null ? '' : String(number),
      address ?? output.style('dim', 'nothing listens'),
      shortened(command ?? ''),
      url,
    ]),
  );
}

/** What was opened and closed, a line each. */
function changes(before: ShownPort[], now: ShownPort[], output: Output): string {
  const opened = missingIn(before, now).map(({ port, command, url }) => {
    return `${output.style('green', '+')} ${port}  ${shortened(command ?? '')}  ${url}`;
  });
  const closed = missingIn(now, before).map(({ port }) => `${output.style('red', '-')} ${port}`);
  return [...closed, ...opened].join('\n');
}

/** Those of `list` that listen and do not in `other`, or that another process has. */
function missingIn(other: ShownPort[], list: ShownPort[]): ShownPort[] {
  return list.filter(({ isListening, port, address, command }) => {
    const isSame = (one: ShownPort) =>
      one.isListening && one.port === port && one.address === address && one.command === command;
    return isListening && !other.some(isSame);
  });
}

function shortened(command: string): string {
  const text = harmless(command).replaceAll(/\s+/g, ' ');
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
