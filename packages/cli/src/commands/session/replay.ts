import type { Command } from 'commander';
import type { Cli, GlobalOptions } from '../../cli.ts';
import { connect } from '../../connect.ts';
import { exitCodes } from '../../exit-codes.ts';
import { findSession } from '../../find-session.ts';
import { Output } from '../../output.ts';
import { readExport } from '../../replay/read-export.ts';
import { type Replayed, replay } from '../../replay/replay.ts';
import { table } from '../../table.ts';

interface ReplayOptions extends GlobalOptions {
  session?: string;
}

export function addReplay(parent: Command, cli: Cli): void {
  parent
    .command('replay')
    .description('Do again what an export has recorded, in the same order, and compare how it ends')
    .argument('<file>', 'written by "fairlead session export"; "-" for standard input')
    .option('--session <session>', 'do it in this session instead of a new one')
    .action(async (file: string, _options, command: Command) => {
      await replayExport(cli, file, command.optsWithGlobals<ReplayOptions>());
    });
}

async function replayExport(cli: Cli, file: string, options: ReplayOptions): Promise<void> {
  const output = new Output(cli, options);
  const steps = await readExport(cli, file);
  const client = connect(cli, options);
  const id =
    options.session === undefined
      ? (await client.sessions.create({}, { onProgress: (text) => output.progress(text) })).id
      : await findSession(client, options.session);
  output.note(`Replaying into ${id} …`);
  const actions: Replayed[] = [];
  for await (const replayed of replay(client.session(id), steps)) {
    actions.push(replayed);
    output.progress(`${actions.length}: ${replayed.what}`);
  }
  const different = actions.filter(({ isSame }) => !isSame);
  output.value({ session: id, actions, different: different.length }, () => summary(id, actions, different));
  if (different.length > 0) cli.exitCode = exitCodes.failed;
}

function summary(id: string, actions: Replayed[], different: Replayed[]): string {
  const count = `${actions.length} actions replayed into ${id}`;
  if (different.length === 0) return `${count}, all ended as recorded`;
  const rows = different.map(({ seq, what, recorded, now }) => [String(seq), recorded, now, what]);
  return `${table(['SEQ', 'RECORDED', 'NOW', 'ACTION'], rows)}\n${count}, ${different.length} ended differently`;
}
