import type { Command } from 'commander';
import type { Cli, GlobalOptions } from '../cli.ts';
import { connect } from '../connect.ts';
import { findSession } from '../find-session.ts';
import { isJournalEvent, JournalText } from '../journal-text.ts';
import { Output } from '../output.ts';
import { parseCount } from '../units.ts';

interface LogsOptions extends GlobalOptions {
  follow?: boolean;
  after: number;
}

export function addLogs(program: Command, cli: Cli): void {
  program
    .command('logs')
    .description('What was done in a session, and what came of it')
    .argument('<session>', 'id, its beginning, or the label "name"')
    .option('-f, --follow', 'go on with what happens now, until Ctrl-C')
    .option('--after <number>', 'only what comes after this number', parseCount, 0)
    .action(async (session: string, _options, command: Command) => {
      await logs(cli, session, command.optsWithGlobals<LogsOptions>());
    });
}

async function logs(cli: Cli, session: string, options: LogsOptions): Promise<void> {
  const output = new Output(cli, options);
  const client = connect(cli, options);
  const handle = client.session(await findSession(client, session));
  const text = new JournalText(output);
  const { after, follow = false } = options;
  const end = new AbortController();
  const stop = () => end.abort();
  if (follow) process.on('SIGINT', stop);
  const events = follow ? handle.watch({ after, signal: end.signal }) : handle.journal({ after });
  for await (const event of events) {
    if (isJournalEvent(event)) output.value(event, () => text.format(event));
    if (cli.stdout.writableNeedDrain) await new Promise((resolve) => cli.stdout.once('drain', resolve));
  }
  process.off('SIGINT', stop);
}
