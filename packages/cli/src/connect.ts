import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Client, createClient } from '@fairlead/client';
import type { Cli, GlobalOptions } from './cli.ts';
import { CliError, usageError } from './cli-error.ts';

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
  if (given === undefined) return runningUrl(stateDirOf(cli, options)) ?? defaultUrl;
  if (/^https?:\/\//.test(given) && URL.canParse(given)) return given;
  throw usageError(`"${given}" is not an address of a gateway; use one like ${defaultUrl}.`);
}

/** The gateway that runs on this state directory writes down where it is. */
function runningUrl(stateDir: string): string | undefined {
  try {
    const { url } = JSON.parse(readFileSync(join(stateDir, 'gateway.json'), 'utf8')) as { url?: string };
    return url;
  } catch {
    return undefined;
  }
}

function apiKey(cli: Cli, options: GlobalOptions, url: string): string {
  if (options.keyFile !== undefined) return readKey(resolve(cli.settings.cwd, options.keyFile));
  if (cli.settings.apiKey !== undefined) return cli.settings.apiKey;
  const stateDir = stateDirOf(cli, options);
  // This machine's key must not go to another one.
  if (url !== runningUrl(stateDir) && !isLoopback(url)) {
    throw new CliError(
      `There is no key for ${url}: set FAIRLEAD_API_KEY, or give --key-file FILE.`,
      'no-key',
    );
  }
  return readKey(join(stateDir, 'key'));
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

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
