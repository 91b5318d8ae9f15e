import type { Command } from 'commander';
import { shellName } from '@fairlead/protocol';
import type { Terminal } from '@fairlead/client';
import type { Cli, GlobalOptions } from '../cli.ts';
import { usageError } from '../cli-error.ts';
import { connect } from '../connect.ts';
import { findSession } from '../find-session.ts';
import { Output } from '../output.ts';
import { TerminalModes, withoutQueries } from '../terminal-modes.ts';

interface AttachOptions extends GlobalOptions {
  shell?: string;
}

/** Ctrl-], as telnet has it. */
const detachKey = 0x1d;

export function addAttach(program: Command, cli: Cli): void {
  program
    .command('attach')
    .description('Sit at a shell of a session; Ctrl-] detaches')
    .argument('<session>', 'id, its beginning, or the label "name"')
    .option('--shell <name>', 'which of its shells; started when there is none of that name')
    .action(async (session: string, _options, command: Command) => {
      await attach(cli, session, command.optsWithGlobals<AttachOptions>());
    });
}

async function attach(cli: Cli, session: string, options: AttachOptions): Promise<void> {
  const { stdin, stdout } = cli;
  const { shell } = options;
  if (!stdin.isTTY || !stdout.isTTY) {
    throw usageError(
      'attach needs a terminal on both sides; use "fairlead run SESSION -- COMMAND" in scripts.',
    );
  }
  if (shell !== undefined && !shellName.safeParse(shell).success) {
    throw usageError(`"${shell}" is no name of a shell; use letters, digits, "_" or "-".`);
  }
  const output = new Output(cli, options);
  const client = connect(cli, options);
  const id = await findSession(client, session);
  const screen = new Screen(stdin, stdout);
  output.note(`Attaching to ${id}. Ctrl-] detaches, and what runs there goes on.`);
  const terminal = await client
    .session(id)
    .terminal({ shell, ...screen.size, onData: (data) => screen.show(data) });
  const leave = () => terminal.close();
  screen.open(terminal, leave);
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, leave);
  try {
    const reason = await terminal.ended;
    screen.close();
    stdout.write('\r\n');
    output.note(reason === '' ? `Detached from ${id}.` : `Ended: ${reason}.`);
  } finally {
    screen.close();
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.off(signal, leave);
  }
}

/** The user's own terminal, lent to the session and given back as it was. */
class Screen {
  readonly #stdin: NodeJS.ReadStream;
  readonly #stdout: NodeJS.WriteStream;
  readonly #modes = new TerminalModes();
  #hasShown = false;
  #restore: (() => void) | undefined;

  constructor(stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream) {
    this.#stdin = stdin;
    this.#stdout = stdout;
  }

  get size(): { cols: number; rows: number } {
    // A window can be smaller than what a shell takes.
    return { cols: Math.max(2, this.#stdout.columns), rows: Math.max(2, this.#stdout.rows) };
  }

  show(data: Uint8Array): void {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    // The first piece is history: its questions to the terminal have been answered long ago.
    const shown = this.#hasShown ? bytes : Buffer.from(withoutQueries(bytes.toString('latin1')), 'latin1');
    this.#hasShown = true;
    this.#modes.follow(shown.toString('latin1'));
    this.#stdout.write(shown);
  }

  open(terminal: Terminal, leave: () => void): void {
    const onData = (data: Buffer) => {
      const at = data.indexOf(detachKey);
      const keys = at < 0 ? data : data.subarray(0, at);
      if (keys.length > 0) terminal.write(new Uint8Array(keys));
      if (at >= 0) leave();
    };
    const onResize = () => terminal.resize(this.size.cols, this.size.rows);
    const restore = () => {
      this.#stdin.setRawMode(false);
      this.#stdout.write(this.#modes.restoring());
    };
    this.#restore = () => {
      process.off('exit', restore);
      this.#stdout.off('resize', onResize);
      this.#stdin.off('data', onData).pause();
      restore();
    };
    // Also when this program fails on the way.
    process.once('exit', restore);
    this.#stdin.setRawMode(true);
    this.#stdin.on('data', onData).resume();
    this.#stdout.on('resize', onResize);
  }

  close(): void {
    this.#restore?.();
    this.#restore = undefined;
  }
}
