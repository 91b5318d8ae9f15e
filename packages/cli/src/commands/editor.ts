import type { Command } from 'commander';
import type { Cli, GlobalOptions } from '../cli.ts';
import { stateDirOf } from '../connect.ts';
import { endSignals } from '../end-signals.ts';
import { exitCodes } from '../exit-codes.ts';
import { Output } from '../output.ts';
import { facts } from '../table.ts';

export function addEditor(program: Command, cli: Cli): void {
  const editor = program.command('editor').description('The web VS Code that sessions of this machine get');
  const add = (name: string, description: string, act: (cli: Cli, options: GlobalOptions) => Promise<void>) =>
    editor
      .command(name)
      .description(description)
      .action((_options, command: Command) => act(cli, command.optsWithGlobals<GlobalOptions>()));
  add('install', 'Install code-server into the state directory; takes some minutes', install);
  add('status', 'Which editors there are, and which of them sessions get', status);
  add('remove', 'Remove what "install" has installed', remove);
}

async function install(cli: Cli, options: GlobalOptions): Promise<void> {
  const [{ installEditor }, { editorsDirectory }] = await Promise.all([
    import('../editor/install-editor.ts'),
    import('../editor/editor-choice.ts'),
  ]);
  const output = new Output(cli, options);
  const cancel = new AbortController();
  void endSignals().then(() => cancel.abort());
  const startedAtMs = performance.now();
  const clock = setInterval(() => {
    output.progress(
      `  ${Math.round((performance.now() - startedAtMs) / 1000)} s so far; Ctrl-C leaves nothing`,
    );
  }, 1000);
  try {
    const installed = await installEditor({
      directory: editorsDirectory(stateDirOf(cli, options)),
      onProgress: (line) => output.note(line),
      signal: cancel.signal,
    });
    const { kind, version, directory } = installed;
    output.value({ kind, version, directory }, () => `${kind} ${version} is installed in ${directory}`);
    output.note('All sessions have it now, also those that run; "fairlead open SESSION" shows it.');
  } finally {
    clearInterval(clock);
    output.clearProgress();
  }
}

async function status(cli: Cli, options: GlobalOptions): Promise<void> {
  const { findEditors } = await import('../editor/editor-choice.ts');
  const output = new Output(cli, options);
  const editors = findEditors(stateDirOf(cli, options));
  const { installed, onMachine, local } = editors;
  const ours = installed === null ? 'none' : `${installed.kind} ${installed.version}`;
  output.value(editors, () =>
    facts([
      ['installed by Fairlead:', installed === null ? ours : `${ours} in ${installed.directory}`],
      ['of this machine:', onMachine?.command.join(' ') ?? 'none'],
      ['local sessions get:', local?.command.join(' ') ?? 'none'],
      ['docker sessions get:', `that of their image, else ${ours}`],
    ]),
  );
  if (local !== null) return;
  cli.exitCode = exitCodes.failed;
  output.note('"fairlead editor install" installs one.');
}

async function remove(cli: Cli, options: GlobalOptions): Promise<void> {
  const [{ removeEditors }, { editorsDirectory }] = await Promise.all([
    import('../editor/remove-editor.ts'),
    import('../editor/editor-choice.ts'),
  ]);
  const output = new Output(cli, options);
  output.progress('Removing …');
  const removed = await removeEditors(editorsDirectory(stateDirOf(cli, options)));
  output.value({ removed }, () =>
    removed.length === 0 ? 'Nothing is installed.' : `code-server ${removed.join(', ')} removed`,
  );
  if (removed.length > 0) output.note('Editors that are open in sessions now stop working.');
}
