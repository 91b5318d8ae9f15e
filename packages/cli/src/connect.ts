import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Client, createClient } from '@fairlead/client';
import type { Cli, GlobalOptions } from './cli.ts';
import { CliError, usageError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';
import { readRunning } from './running-gateway.ts';

const defaultUrl = 'http://127.0.0.1:3000';

/** A client of the gateway that the options, the environment or the state directory name. */
export function connect(cli: Cli, options: GlobalOptions): Client {
  const url = gatewayUrl(cli, options);
  return createClient({ url, key: apiKey(cli, options, url) });
}

export function stateDirOf(cli: Cli, options: GlobalOptions): string {
  const { stateDir, cwd } = cli.settings;
  return options.stateDir === undefined ? stateDir : resolve(cwd, options.stateDir);
}

export function gatewayUrl(cli: Cli, options: GlobalOptions): string {
  const given = options.gateway ?? cli.settings.url;
  if (given === undefined) return readRunning(stateDirOf(cli, options))?.url ?? defaultUrl;
  if (/^https?:\/\//.test(given) && URL.canParse(given)) return given;
  throw usageError(`"${given}" is not an address of a gateway; use one like ${defaultUrl}.`);
}

function apiKey(cli: Cli, options: GlobalOptions, url: string): string {
  if (options.keyFile !== undefined) return readKey(resolve(cli.settings.cwd, options.keyFile));
  if (cli.settings.apiKey !== undefined) return cli.settings.apiKey;
  const stateDir = stateDirOf(cli, options);
  const running = readRunning(stateDir)?.url;
  // The key must not go to whoever listens: on this machine that may be a session which waited for the gateway to end.
  if (running !== undefined && new URL(running).origin === new URL(url).origin) {
    return readKey(join(stateDir, 'key'));
  }
  if (running === undefined) {
    throw new CliError(
      `Cannot reach a gateway: none runs on the state directory ${stateDir}, whose key is for that one alone. Start it with ` +
        '"fairlead serve"; for another gateway set FAIRLEAD_API_KEY, or give --key-file FILE.',
      'unreachable',
      exitCodes.unreachable,
    );
  }
  throw new CliError(
    `There is no key for ${url}: the one in ${stateDir} is for ${running}. ` +
      'Set FAIRLEAD_API_KEY, or give --key-file FILE.',
    'no-key',
  );
}

function readKey(file: string): string {
  let key: string;
  try {
    key = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'it does not exist' : (error as Error).message;
    throw new CliError(
      `Cannot read the key file ${file}: ${reason}. "fairlead serve" makes one at its first start; ` +
        'or set FAIRLEAD_API_KEY, or give --key-file FILE.',
      'no-key',
    );
  }
  if (key !== '') return key;
  throw new CliError(
    `The key file ${file} is empty; make a key with "fairlead key create --owner NAME".`,
    'no-key',
  );
}
