import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { Gateway, SandboxEditor } from '@fairlead/gateway';
import {
  describeIssues,
  type DriverName,
  driverName,
  sessionLimits,
  type SessionLimits,
} from '@fairlead/protocol';
import type { Cli, GlobalOptions } from '../cli.ts';
import { CliError, usageError } from '../cli-error.ts';
import { stateDirOf } from '../connect.ts';
import { endSignals } from '../end-signals.ts';
import { freePortFrom } from '../free-port.ts';
import { Output } from '../output.ts';
import {
  collect,
  parseAmount,
  parseAppPorts,
  parseCount,
  parseDuration,
  parseMemory,
  parsePort,
} from '../units.ts';
import { whatToTry } from '../what-to-try.ts';

interface ServeOptions extends GlobalOptions {
  host: string;
  port?: number;
  publicUrl?: string;
  basePath?: string;
  domain?: string;
  allowedHost?: string[];
  driver: DriverName;
  isolation: boolean;
  warm: number;
  idleTimeout: number;
  maxAge?: number;
  retention: number;
  dockerSocket?: string;
  image: string;
  cpus?: number;
  memory?: number;
  pids?: number;
  maxSessions: number;
  allowFolder?: string[];
  appPorts: number;
  windowGrace: number;
  editor?: string;
}

const defaultPort = 3000;

export function addServe(program: Command, cli: Cli): void {
  program
    .command('serve')
    .description('Run the gateway, with everything embedded')
    .option('--host <address>', 'where to listen', '127.0.0.1')
    .option('--port <number>', `where to listen (default: ${defaultPort}, or the next free one)`, parsePort)
    .option('--public-url <url>', 'where clients reach it, when a proxy stands in front of it')
    .option('--base-path <path>', 'put everything below this path (default: that of the public URL)')
    .option(
      '--domain <name>',
      'give every editor and app a host of its own below this name (default: paths of one host)',
    )
    .option('--allowed-host <name>', 'accept this Host header too (again for more)', collect)
    .addOption(
      new Option('--driver <name>', 'what sessions run in that name none')
        .choices(driverName.options)
        .default('local'),
    )
    .option('--no-isolation', 'let local sessions do all that you may do')
    .option('--warm <number>', 'how many sandboxes are kept ready', parseCount, 1)
    .option(
      '--idle-timeout <duration>',
      'stop sessions after this long without activity',
      parseDuration,
      1800,
    )
    .option(
      '--max-age <duration>',
      'stop sessions this long after their creation (default: never)',
      parseDuration,
    )
    .option(
      '--retention <duration>',
      'how long ended sessions and the journal are kept',
      parseDuration,
      2_592_000,
    )
    .option('--docker-socket <path>', 'socket of the Docker engine')
    .option('--image <name>', 'image of docker sessions that name none', 'debian:bookworm')
    .option('--cpus <number>', 'how many processors a session may use that says nothing', parseAmount)
    .option('--memory <size>', 'how much memory, for example 2g', parseMemory)
    .option('--pids <number>', 'how many processes', parseCount)
    .option('--max-sessions <number>', 'how many sessions one owner may have', parseCount, 100)
    .option(
      '--allow-folder <dir>',
      'folder that every owner may mount, with all below it (again for more)',
      collect,
    )
    .option('--app-ports <number>', 'how many app ports a session has, 0 to 9', parseAppPorts, 2)
    .option(
      '--window-grace <duration>',
      'how long sessions in a VS Code window wait for it when its connection is lost',
      parseDuration,
      60,
    )
    .option(
      '--editor <file>',
      'web VS Code for local sessions (default: one on PATH, else what "fairlead editor install" installed)',
    )
    .action(async (_options, command: Command) => {
      await serve(cli, command.optsWithGlobals<ServeOptions>());
    });
}

async function serve(cli: Cli, options: ServeOptions): Promise<void> {
  const output = new Output(cli, options);
  const end = endSignals();
  output.progress('Starting the gateway …');
  const starting = start(cli, options, output);
  const gateway = await Promise.race([starting, end.then(() => starting)]);
  const { url, keyFile, isFirstStart } = gateway;
  const stateDir = stateDirOf(cli, options);
  const isUsualStateDir = stateDir === cli.settings.stateDir;
  const { findEditors } = await import('../editor/editor-choice.ts');
  const hasEditor = options.editor !== undefined || findEditors(stateDir).local !== null;
  output.value({ url, keyFile, stateDir }, () => {
    return whatToTry({ url, keyFile, isFirstStart, stateDir, isUsualStateDir, hasEditor });
  });
  await end;
  output.note('Stopping …');
  const { sessionsLeft } = await gateway.close();
  output.note(farewell(sessionsLeft));
}

async function start(cli: Cli, options: ServeOptions, output: Output): Promise<Gateway> {
  const { host, publicUrl, basePath, domain, dockerSocket } = options;
  const port = options.port ?? (await freePortFrom(host, defaultPort));
  if (options.port === undefined && port !== defaultPort) {
    output.note(`Port ${defaultPort} is taken, so this uses ${port}.`);
  }
  const [{ startGateway }, { prepareSandboxBundle }] = await Promise.all([
    import('@fairlead/gateway'),
    import('@fairlead/sandbox/bundle'),
  ]);
  const { cwd, user } = cli.settings;
  const [bundle, editor] = await Promise.all([prepareSandboxBundle(), editorOf(cli, options)]);
  try {
    return await startGateway({
      stateDir: stateDirOf(cli, options),
      host,
      port,
      ...(publicUrl !== undefined && { publicUrl: webAddress(publicUrl) }),
      ...(basePath !== undefined && { basePath }),
      ...(domain !== undefined && { domain }),
      allowedHosts: options.allowedHost ?? [],
      bundle,
      editor,
      appPortsPerSession: options.appPorts,
      defaultDriver: options.driver,
      isolation: options.isolation ? 'bubblewrap' : 'none',
      ...(dockerSocket !== undefined && { dockerSocket: resolve(cwd, dockerSocket) }),
      defaultImage: options.image,
      defaultLimits: limitsOf(options),
      warmSize: options.warm,
      idleTimeoutSeconds: options.idleTimeout,
      maxAgeSeconds: options.maxAge ?? null,
      retentionSeconds: options.retention,
      maxSessionsPerOwner: options.maxSessions,
      windowGraceSeconds: options.windowGrace,
      allowedFolders: (options.allowFolder ?? []).map((folder) => resolve(cwd, folder)),
      operatorName: user,
      log: (line) => void cli.stderr.write(`${new Date().toISOString()} ${line}\n`),
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new CliError(`Port ${port} of ${host} is taken. Choose another with --port N.`);
  }
}

async function editorOf(cli: Cli, options: ServeOptions): Promise<SandboxEditor> {
  const [{ editorOfDirectory, editorsDirectory, namedEditor }, { prepareUnpackedExtension }] =
    await Promise.all([import('../editor/editor-choice.ts'), import('fairlead/unpacked')]);
  const editor =
    options.editor === undefined
      ? editorOfDirectory(editorsDirectory(stateDirOf(cli, options)))
      : namedEditor(resolve(cli.settings.cwd, options.editor));
  return { ...editor, extension: await prepareUnpackedExtension() };
}

function webAddress(text: string): string {
  if (/^https?:\/\/[^?#]+$/.test(text) && URL.canParse(text)) return text.replace(/\/$/, '');
  throw usageError(`--public-url ${text} is not an address; use one like https://fairlead.example.com.`);
}

function limitsOf({ cpus, memory, pids }: ServeOptions): SessionLimits {
  const checked = sessionLimits.safeParse({ cpus, memoryMb: memory, pids });
  if (checked.success) return definedOf(checked.data);
  throw usageError(`Sessions cannot be limited like that: ${describeIssues(checked.error)}.`);
}

function definedOf(limits: SessionLimits): SessionLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

function farewell(sessionsLeft: number): string {
  if (sessionsLeft === 0) return 'Stopped.';
  const sessions = sessionsLeft === 1 ? '1 session goes' : `${sessionsLeft} sessions go`;
  return (
    `Stopped. ${sessions} on and will be found again by the next "fairlead serve" on this state directory; ` +
    'without one their sandboxes end by themselves after 10 minutes, and their workspaces stay.'
  );
}
