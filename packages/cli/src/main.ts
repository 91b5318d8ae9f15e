import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { CommanderError } from 'commander';
import type { Cli, Settings } from './cli.ts';
import { type CliError, toCliError, usageError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';
import { createProgram } from './program.ts';

type Environment = Record<string, string | undefined>;

/** The command: reads argv and the environment, and ends with the process's exit code. */
export async function main(argv: string[], env: Environment, version: string): Promise<number> {
  const { stdin, stdout, stderr } = process;
  const settings = readSettings(env);
  const cli: Cli = { version, settings, stdin, stdout, stderr, exitCode: exitCodes.ok };
  endWithReader(stdout);
  try {
    await createProgram(cli).parseAsync(argv, { from: 'user' });
  } catch (error) {
    const failure = error instanceof CommanderError ? usageFailure(error) : toCliError(error);
    if (failure === undefined) return exitCodes.ok;
    tell(cli, failure, isJsonAsked(argv));
    cli.exitCode = failure.exitCode;
  }
  await new Promise((resolve) => stdout.write('', resolve));
  return cli.exitCode;
}

function readSettings(env: Environment): Settings {
  const home = env['HOME'] || homedir();
  return {
    url: env['FAIRLEAD_URL'] || undefined,
    apiKey: env['FAIRLEAD_API_KEY'] || undefined,
    stateDir: join(env['XDG_STATE_HOME'] || join(home, '.local', 'state'), 'fairlead'),
    cwd: process.cwd(),
    user: env['USER'] || userInfo().username,
    variable: (name) => env[name],
  };
}

/** Undefined when help or the version was asked for. */
function usageFailure({ exitCode, code, message }: CommanderError): CliError | undefined {
  if (exitCode === 0) return undefined;
  if (code === 'commander.help') return usageError('No command was given; the list of them is above.');
  const told = message
    .replace(/^error: /, '')
    .replaceAll('\n', ' ')
    .replace(/\.?$/, '.');
  const isOfCommand = code === 'commander.unknownOption';
  return usageError(`${told} See --help${isOfCommand ? '; a command to run stands behind "--"' : ''}.`);
}

function tell({ stdout, stderr }: Cli, { code, message }: CliError, isJson: boolean): void {
  if (isJson) stdout.write(`${JSON.stringify({ error: { code, message } })}\n`);
  else stderr.write(`${styleText('red', 'fairlead:', { stream: stderr })} ${message}\n`);
}

/** Asked before the arguments are parsed, for what is wrong with them is told in the same form. */
function isJsonAsked(argv: string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? argv.length : end).includes('--json');
}

/** `fairlead logs … | head` is no failure: who reads has enough. */
function endWithReader(stdout: NodeJS.WriteStream): void {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.ok);
    throw error;
  });
}
