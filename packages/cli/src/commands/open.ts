import type { Command } from 'commander';
import type { PlaceLink } from '@fairlead/protocol';
import { findBrowser } from '../browser/find-browser.ts';
import type { Cli, GlobalOptions } from '../cli.ts';
import { CliError } from '../cli-error.ts';
import { connect } from '../connect.ts';
import { findSession } from '../find-session.ts';
import { Output } from '../output.ts';
import { addPlaceCommand, placeName, placeOf, type PlaceOptions } from '../place-options.ts';

interface OpenOptions extends GlobalOptions, PlaceOptions {
  print?: boolean;
}

export function addOpen(program: Command, cli: Cli): void {
  addPlaceCommand(program, 'open')
    .description("Show a session's web VS Code, or one of its apps, in your browser")
    .option('--print', 'print the link, which works once and within 30 s, instead')
    .action(async (session: string, _options, command: Command) => {
      await open(cli, session, command.optsWithGlobals<OpenOptions>());
    });
}

async function open(cli: Cli, session: string, options: OpenOptions): Promise<void> {
  const output = new Output(cli, options);
  const place = placeOf(options);
  const client = connect(cli, options);
  const id = await findSession(client, session);
  const isPrinted = options.print === true || output.isJson;
  const browser = isPrinted ? undefined : findBrowser(cli.settings.variable);
  const link = await client.session(id).link(place);
  if (browser === undefined) return print(output, link);
  output.note(`Opening ${placeName(place)} of ${id} in your browser …`);
  const { showLink } = await import('../browser/show-link.ts');
  const timeoutMs = Date.parse(link.expiresAt) - Date.now();
  const isShown = await showLink({ link: link.url, browser, timeoutMs }).catch((error: Error) => {
    throw new CliError(
      `Cannot start your browser: ${error.message}. "fairlead open ${id} --print" prints a link.`,
    );
  });
  if (isShown) return;
  throw new CliError(`No browser came for the link in time. "fairlead open ${id} --print" prints one.`);
}

function print(output: Output, link: PlaceLink): void {
  output.value(link, () => link.url);
  output.note('The link works once, and within 30 s. Whoever opens it is let in: do not pass it on.');
}
