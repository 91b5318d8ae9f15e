import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import {
  type CreateSessionInput,
  createSessionRequest,
  describeIssues,
  driverName,
  type WindowChoice,
  windowId,
} from '@fairlead/protocol';
import type { Cli, GlobalOptions } from '../../cli.ts';
import { usageError } from '../../cli-error.ts';
import { connect } from '../../connect.ts';
import { Output } from '../../output.ts';
import { collect, parseAmount, parseCount, parseDuration, parseMemory, parsePairs } from '../../units.ts';

interface CreateOptions extends GlobalOptions {
  driver?: string;
  image?: string;
  /** True when it stands alone. */
  window?: string | true;
  folder?: string;
  git?: string;
  ref?: string;
  env?: string[];
  label?: string[];
  idleTimeout?: number;
  maxAge?: number;
  cpus?: number;
  memory?: number;
  pids?: number;
}

export function addCreate(parent: Command, cli: Cli): void {
  parent
    .command('create')
    .description('Create a session; its id is what stands on standard output')
    .addOption(new Option('--driver <name>', 'what to run it in').choices(driverName.options))
    .option('--image <name>', 'image of a docker session')
    .option(
      '--window [which]',
      'work in a VS Code window that is connected: its id, a folder that is open in it, or the only one there is',
    )
    .option('--folder <dir>', 'work in this folder of the gateway’s machine instead of one of its own')
    .option('--git <url>', 'clone this into the workspace')
    .option('--ref <name>', 'branch, tag or commit of --git')
    .option(
      '--env <name=value>',
      'variable for its shells; NAME alone takes the value from here (again for more)',
      collect,
    )
    .option(
      '--label <name=value>',
      'for finding it again; name=… can stand for its id (again for more)',
      collect,
    )
    .option(
      '--idle-timeout <duration>',
      'stop it after this long without activity, for example 30m',
      parseDuration,
    )
    .option('--max-age <duration>', 'stop it this long after its creation, for example 8h', parseDuration)
    .option('--cpus <number>', 'how many processors it may use', parseAmount)
    .option('--memory <size>', 'how much memory it may use, for example 2g', parseMemory)
    .option('--pids <number>', 'how many processes it may have', parseCount)
    .action(async (_options, command: Command) => {
      await create(cli, command.optsWithGlobals<CreateOptions>());
    });
}

async function create(cli: Cli, options: CreateOptions): Promise<void> {
  const input = toRequest(cli, options);
  const output = new Output(cli, options);
  const startedAtMs = performance.now();
  output.progress('Creating a session …');
  const created = await connect(cli, options)
    .sessions.create(input, { onProgress: (text) => output.progress(text) })
    .finally(() => output.clearProgress());
  output.value(created, () => created.id);
  if (cli.stderr.isTTY) {
    const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
    output.note(
      `Created in ${seconds} s. Next: fairlead run ${created.id.slice(0, 4)} -- 'echo hello from $PWD'`,
    );
  }
}

/** Checked here as the gateway checks it, so that a mistake is told in the words of the command line. */
export function toRequest({ settings }: Cli, options: CreateOptions): CreateSessionInput {
  if (options.folder !== undefined && options.git !== undefined) {
    throw usageError('--folder and --git are both the workspace; give one of them.');
  }
  if (options.window !== undefined && (options.folder !== undefined || options.git !== undefined)) {
    throw usageError('--window works in the folders that are open there; leave --folder and --git out.');
  }
  if (options.ref !== undefined && options.git === undefined) throw usageError('--ref needs --git URL.');
  const { driver, image, git, folder, idleTimeout, maxAge, cpus, memory, pids } = options;
  const input = {
    driver,
    image,
    window: options.window === undefined ? undefined : windowChoice(options.window, settings.cwd),
    workspace:
      git === undefined
        ? folder === undefined
          ? undefined
          : { kind: 'folder', path: resolve(settings.cwd, folder) }
        : { kind: 'git', url: git, ref: options.ref },
    env: parsePairs(options.env, (name) => settings.variable(name), '--env'),
    labels: parsePairs(options.label, () => undefined, '--label'),
    limits: { cpus, memoryMb: memory, pids },
    idleTimeoutSeconds: idleTimeout,
    maxAgeSeconds: maxAge,
  };
  const checked = createSessionRequest.safeParse(input);
  if (checked.success) return checked.data;
  throw usageError(`The session cannot be created like that: ${describeIssues(checked.error)}.`);
}

function windowChoice(which: string | true, cwd: string): WindowChoice {
  if (which === true) return {};
  if (windowId.safeParse(which).success) return { id: which };
  const path = resolve(cwd, which);
  // What is no folder here may be the name of one there.
  return { folder: /[\\/]|^\.+$/.test(which) || existsSync(path) ? path : which };
}
