import { Command } from 'commander';
import type { Cli } from './cli.ts';
import { addAttach } from './commands/attach.ts';
import { addCopy } from './commands/cp.ts';
import { addDoctor } from './commands/doctor.ts';
import { addEditor } from './commands/editor.ts';
import { addKey } from './commands/key.ts';
import { addLogs } from './commands/logs.ts';
import { addNginx } from './commands/nginx.ts';
import { addOpen } from './commands/open.ts';
import { addPorts } from './commands/ports.ts';
import { addRun } from './commands/run.ts';
import { addServe } from './commands/serve.ts';
import { addSession } from './commands/session/index.ts';
import { addShare } from './commands/share.ts';
import { addWindow } from './commands/window.ts';

export function createProgram(cli: Cli): Command {
  const program = new Command('fairlead')
    .description('Places for agents to work in: a gateway, its sessions, and what runs in them')
    .version(cli.version)
    .option('--gateway <url>', 'address of the gateway (default: FAIRLEAD_URL, or the one that runs here)')
    .option(
      '--key-file <file>',
      'file with the API key (default: FAIRLEAD_API_KEY, or that of the state directory)',
    )
    .option('--state-dir <dir>', `where a gateway keeps its state (default: ${cli.settings.stateDir})`)
    .option('--json', 'answer with JSON, also about failures')
    .showHelpAfterError(false)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void cli.stdout.write(text),
      writeErr: (text) => void cli.stderr.write(text),
      // `main` tells failures, in the form that was asked for.
      outputError: () => undefined,
    })
    .exitOverride();
  addServe(program, cli);
  addDoctor(program, cli);
  addKey(program, cli);
  addSession(program, cli);
  addWindow(program, cli);
  addRun(program, cli);
  addAttach(program, cli);
  addCopy(program, cli);
  addLogs(program, cli);
  addOpen(program, cli);
  addPorts(program, cli);
  addShare(program, cli);
  addEditor(program, cli);
  addNginx(program, cli);
  return program;
}
