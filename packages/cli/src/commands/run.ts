import type { Command } from 'commander';
import { shellName } from '@fairlead/protocol';
import type { RunResult } from '@fairlead/client';
import type { Cli, GlobalOptions } from '../cli.ts';
import { CliError, toCliError, usageError } from '../cli-error.ts';
import { connect } from '../connect.ts';
import { exitCodes } from '../exit-codes.ts';
import { findSession } from '../find-session.ts';
import { Output } from '../output.ts';
import { PlainOutput } from '../plain-output.ts';
import { shellText } from '../shell-text.ts';
import { onInterrupts } from '../interrupts.ts';
import { parseDuration } from '../units.ts';

interface RunCommandOptions extends GlobalOptions {
  shell?: string;
  timeout?: number;
}

/** The longest that a sandbox takes; a person has Ctrl-C. */
const longestSeconds = 86_400;
/** For the command to end after it was told to, before the sandbox stops waiting by itself. */
const endingSeconds = 30;

export function addRun(program: Command, cli: Cli): void {
  program
    .command('run')
    .description('Run a command in a session: live output, and its exit code passed on')
    .argument('<session>', 'id, its beginning, or the label "name"')
    .argument(
      '<command...>',
      'behind "--"; one word is taken as shell text, several as the words of one command',
    )
    .option('--shell <name>', 'which of the session’s shells')
    .option('--timeout <duration>', 'end the command after this long, with exit code 124', parseDuration)
    .action(async (session: string, words: string[], _options, command: Command) => {
      const options = command.optsWithGlobals<RunCommandOptions>();
      cli.exitCode = await run(cli, session, shellText(words), options).catch((error: unknown) => {
        const { message, code, exitCode } = toCliError(error);
        // All other codes are the command's own.
        throw new CliError(message, code, exitCode === exitCodes.usage ? exitCode : exitCodes.fairleadFailed);
      });
    });
}

async function run(cli: Cli, session: string, text: string, options: RunCommandOptions): Promise<number> {
  if (options.shell !== undefined && !shellName.safeParse(options.shell).success) {
    throw usageError(`"${options.shell}" is no name of a shell; use letters, digits, "_" or "-".`);
  }
  const output = new Output(cli, options);
  const client = connect(cli, options);
  const handle = client.session(await findSession(client, session));
  const { shell, timeout } = options;
  const end = new AbortController();
  const timer = timeout === undefined ? undefined : setTimeout(() => end.abort(), timeout * 1000);
  const interrupts = onInterrupts({
    // As if it were typed at the command's own terminal.
    first: () => void handle.run('C-c', { shell, isInput: true, timeoutSeconds: 5 }).catch(() => undefined),
    async second() {
      end.abort();
      output.note('Left; the command is being ended.');
      // The request for it must have gone out.
      await Promise.race([
        result.catch(() => undefined),
        new Promise((resolve) => setTimeout(resolve, 1_000)),
      ]);
      process.exit(exitCodes.interrupted);
    },
  });
  const writer = new Writer(cli.stdout);
  const result = handle.run(text, {
    shell,
    timeoutSeconds:
      timeout === undefined ? longestSeconds : Math.min(longestSeconds, timeout + endingSeconds),
    signal: end.signal,
    ...(!output.isJson && { onOutput: (data) => writer.write(data) }),
  });
  try {
    const known = await result;
    writer.end();
    return report(output, known, end.signal.aborted, timeout);
  } finally {
    clearTimeout(timer);
    interrupts.stop();
  }
}

/** The next piece comes when this one is gone: a slow pipe holds the gateway up, and does not fill this memory. */
class Writer {
  readonly #stdout: NodeJS.WriteStream;
  readonly #plain: PlainOutput | undefined;

  constructor(stdout: NodeJS.WriteStream) {
    this.#stdout = stdout;
    this.#plain = stdout.isTTY ? undefined : new PlainOutput();
  }

  async write(data: string): Promise<void> {
    if (this.#stdout.write(this.#plain?.push(data) ?? data)) return;
    await new Promise((resolve) => this.#stdout.once('drain', resolve));
  }

  end(): void {
    this.#stdout.write(this.#plain?.end() ?? '');
  }
}

function report(output: Output, result: RunResult, isEnded: boolean, timeout: number | undefined): number {
  const { exitCode, outcome, remark, isOutputComplete } = result;
  if (output.isJson) output.value(result, () => '');
  if (!isOutputComplete) output.warn('some of the output did not get here; the session’s journal has it.');
  if (isEnded) {
    output.note(`The command was ended after ${timeout} s.`);
    return exitCodes.timedOut;
  }
  if (outcome === 'completed' && exitCode !== null) return exitCode;
  if (outcome === 'running') {
    output.note(remark);
    return exitCodes.timedOut;
  }
  if (output.isJson) return exitCodes.fairleadFailed;
  throw new CliError(remark || 'The command’s end is not known.', outcome, exitCodes.fairleadFailed);
}
