import { type Command, InvalidArgumentError } from 'commander';
import type { Cli, GlobalOptions } from '../cli.ts';
import { usageError } from '../cli-error.ts';
import { connect } from '../connect.ts';
import { findSession } from '../find-session.ts';
import { Output } from '../output.ts';
import { addPlaceCommand, placeName, placeOf, type PlaceOptions } from '../place-options.ts';
import { parseDuration } from '../units.ts';

interface ShareOptions extends GlobalOptions, PlaceOptions {
  for: number;
}

export function addShare(program: Command, cli: Cli): void {
  addPlaceCommand(program, 'share')
    .description('Print a link to one app of a session, for people without a key')
    .option('--for <duration>', 'how long the link works, at most 30d', parseSharing, 3600)
    .action(async (session: string, _options, command: Command) => {
      await share(cli, session, command.optsWithGlobals<ShareOptions>());
    });
}

const longestSeconds = 30 * 24 * 60 * 60;

function parseSharing(text: string): number {
  const seconds = parseDuration(text);
  if (seconds <= longestSeconds) return seconds;
  throw new InvalidArgumentError('A link works for 30d at most; share it again then.');
}

async function share(cli: Cli, session: string, options: ShareOptions): Promise<void> {
  const output = new Output(cli, options);
  const place = placeOf(options);
  if (place.place === 'editor') {
    throw usageError(
      'Say what to share with --app N or --port N; an editor has a terminal, so it is not shared by link.',
    );
  }
  const client = connect(cli, options);
  const id = await findSession(client, session);
  const expiresInSeconds = Math.ceil(options.for);
  const link = await client.session(id).link({ ...place, share: { expiresInSeconds } });
  output.value(link, () => link.url);
  output.note(
    `Whoever has the link can use ${placeName(place)} of ${id}, and nothing else, until ${link.expiresAt}, ` +
      'or until the key that made it is revoked.',
  );
}
