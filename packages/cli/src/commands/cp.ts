import type { Command } from 'commander';
import type { Cli, GlobalOptions } from '../cli.ts';
import { usageError } from '../cli-error.ts';
import { connect } from '../connect.ts';
import { findSession } from '../find-session.ts';
import { Output } from '../output.ts';

export function addCopy(program: Command, cli: Cli): void {
  program
    .command('cp')
    .description('Copy a file or folder into or out of a session')
    .argument('<source>', 'a path here, or SESSION:PATH')
    .argument('<destination>', 'a path here, or SESSION:PATH; into it when it is a folder')
    .action(async (source: string, destination: string, _options, command: Command) => {
      await copy(cli, source, destination, command.optsWithGlobals<GlobalOptions>());
    });
}

async function copy(cli: Cli, source: string, destination: string, options: GlobalOptions): Promise<void> {
  const from = parsePlace(source);
  const to = parsePlace(destination);
  if ((from.session === undefined) === (to.session === undefined)) {
    throw usageError(
      'Exactly one of the two must be in a session, written SESSION:PATH (./a:b is a file here).',
    );
  }
  const output = new Output(cli, options);
  const client = connect(cli, options);
  const session = client.session(await findSession(client, from.session ?? to.session ?? ''));
  const { cwd } = cli.settings;
  const onProgress = (text: string) => output.progress(text);
  const copying = { session, source: from.path, destination: to.path, cwd, onProgress };
  const path =
    from.session === undefined
      ? await (await import('../copy/copy-in.ts')).copyIn(copying)
      : await (await import('../copy/copy-out.ts')).copyOut(copying);
  const shown = to.session === undefined ? path : `${session.id}:${path}`;
  output.clearProgress();
  output.value({ source, destination: shown }, () => shown);
}

interface Place {
  session: string | undefined;
  path: string;
}

/** What has a colon before any slash is in a session. */
function parsePlace(text: string): Place {
  const [, session, path] = /^([\w.-]+):(.*)$/s.exec(text) ?? [];
  return session === undefined || path === undefined ? { session: undefined, path: text } : { session, path };
}
