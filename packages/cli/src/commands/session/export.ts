import { createWriteStream } from 'node:fs';
import { resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import type { Writable } from 'node:stream';
import type { Command } from 'commander';
import type { Cli, GlobalOptions } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { connect } from '../../connect.ts';
import { findSession } from '../../find-session.ts';
import { Output } from '../../output.ts';
import { parseCount } from '../../units.ts';

interface ExportOptions extends GlobalOptions {
  output?: string;
  after: number;
}

export function addExport(parent: Command, cli: Cli): void {
  parent
    .command('export')
    .description('Write a session’s journal as JSON lines')
    .argument('<session>', 'id, its beginning, or the label "name"')
    .option('-o, --output <file>', 'write here instead of to standard output')
    .option('--after <number>', 'only what comes after this number', parseCount, 0)
    .action(async (session: string, _options, command: Command) => {
      await exportJournal(cli, session, command.optsWithGlobals<ExportOptions>());
    });
}

async function exportJournal(cli: Cli, text: string, options: ExportOptions): Promise<void> {
  const output = new Output(cli, options);
  const client = connect(cli, options);
  const session = await findSession(client, text);
  if (options.output === undefined) {
    await writeJournal(cli.stdout);
    return;
  }
  const path = resolve(cli.settings.cwd, options.output);
  const file = createWriteStream(path, { mode: 0o600 });
  const written = finished(file).catch((error: Error) => {
    throw new CliError(`Cannot write ${path}: ${error.message}`);
  });
  written.catch(() => undefined);
  const records = await Promise.race([writeJournal(file), written.then(() => 0)]);
  file.end();
  await written;
  output.value({ session, records, file: path }, () => `${records} records of ${session} written to ${path}`);

  async function writeJournal(to: Writable): Promise<number> {
    let count = 0;
    for await (const event of client.session(session).journal({ after: options.after })) {
      count += 1;
      if (!to.write(`${JSON.stringify(event)}\n`)) await new Promise((resolve) => to.once('drain', resolve));
    }
    return count;
  }
}
