import { type Command, InvalidArgumentError } from 'commander';
import type { PlaceLinkRequest } from '@fairlead/protocol';
import { usageError } from './cli-error.ts';

/** Which app is meant, on a command line. */
export interface PlaceOptions {
  app?: number;
  port?: number;
}

/** A command about one place of a session. */
export function addPlaceCommand(program: Command, name: string): Command {
  return program
    .command(name)
    .argument('<session>', 'id, its beginning, or the label "name"')
    .option('--app <number>', 'one of its app ports, counted from 1', parseAppNumber)
    .option('--port <number>', 'any port that something listens on in it', parseListeningPort);
}

/** The editor where no app is named. */
export function placeOf({ app, port }: PlaceOptions): PlaceLinkRequest {
  if (app !== undefined && port !== undefined) throw usageError('Give --app or --port, not both.');
  if (app !== undefined) return { place: 'app', number: app };
  return port === undefined ? { place: 'editor' } : { place: 'app', port };
}

/** How many a session has, the gateway knows. */
function parseAppNumber(text: string): number {
  if (/^[1-9]$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Apps are counted from 1, and there are 9 at most.');
}

function parseListeningPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new InvalidArgumentError('Use a number from 1 to 65535.');
}

/** For people. */
export function placeName({ number, port }: PlaceLinkRequest): string {
  if (number !== undefined) return `app ${number}`;
  return port === undefined ? 'the web VS Code' : `port ${port}`;
}
