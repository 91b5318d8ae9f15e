import { rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { type Arguments, parseArguments, usage, UsageError } from './start/arguments.ts';
import { readSettings, type Settings, shellEnvironment } from './start/environment.ts';
import { claimSession } from './start/claim-session.ts';
import { prepareSessionDir } from './start/session-dir.ts';
import { lockSession } from './start/session-lock.ts';
import { prepareWorkingDir } from './start/working-dir.ts';
import { prepareEditorSocket } from './start/editor-socket.ts';
import type { EditorOptions } from './editor-server/editor-server.ts';
import type { ListenOn } from './http/listen.ts';
import type { SandboxServer } from './server.ts';

type Environment = Record<string, string | undefined>;

/** The command: reads argv and the environment, starts the server, and ends with the process's exit code. */
export async function main(argv: string[], env: Environment, version: string): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) return print(usage);
  if (argv.includes('--version')) return print(`fairlead-sandbox ${version}\n`);
  try {
    const ended = endSignal();
    const starting = start(parseArguments(argv), readSettings(env), env);
    const server = await Promise.race([starting, ended.then(() => soon(starting))]);
    await Promise.race([
      ended,
      server.leaseEnded.then(() => log('nobody has asked for anything: the lease is over')),
    ]);
    await server.close();
    log('stopped');
    return 0;
  } catch (error) {
    process.stderr.write(`fairlead-sandbox: ${(error as Error).message}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function start(given: Arguments, settings: Settings, env: Environment): Promise<SandboxServer> {
  const { sessionApiKey, noChangeTimeoutSeconds, isSwitchingUser, group } = settings;
  const listenOn = await prepareAddress(given, settings);
  const user =
    given.username === undefined
      ? undefined
      : (await import('./start/user.ts')).resolveUser({ ...given, isSwitchingUser, log });
  const workspace = prepareWorkingDir(given.workingDir, user, group);
  const editorSocket =
    given.editorSocket === undefined ? undefined : prepareEditorSocket(given.editorSocket, user);
  const session = prepareSessionDir({
    given: given.sessionDir,
    port: listenOn.kind === 'port' ? listenOn.port : 0,
    runtimeDir: settings.runtimeDir,
    hasOtherUser: user !== undefined,
  });
  const unlock = lockSession(session.path);
  try {
    await claimSession(session.path, { workspace, key: sessionApiKey }, shellEnvironment(env));
    const server = await startOn(session.path, workspace);
    process.stdout.write(`fairlead-sandbox listening on ${server.url} (workspace ${workspace})\n`);
    return { ...server, close: () => server.close().finally(leave) };
  } catch (error) {
    leave();
    throw error;
  }

  async function startOn(sessionDir: string, workspace: string): Promise<SandboxServer> {
    const { openExecutor } = await import('@fairlead/executor');
    const opening = openExecutor({
      workspace,
      sessionDir,
      terminal: given.terminal,
      noChangeTimeoutSeconds,
      env: shellEnvironment(env),
      ...(user && { user }),
    });
    // Loaded while the shell comes up.
    const [executor, { startServer }] = await Promise.all([opening, import('./server.ts')]);
    return startServer({
      executor,
      workspace,
      sessionDir,
      listenOn,
      ...(given.leaseSeconds !== undefined && { leaseSeconds: given.leaseSeconds }),
      ...(sessionApiKey !== undefined && { sessionApiKey }),
      ...(user && { owner: { uid: user.uid, gid: user.gid } }),
      ...(editorSocket !== undefined && { editor: editorOptions(sessionDir, workspace, editorSocket) }),
      log,
    }).catch(async (error: unknown) => {
      await executor.close();
      throw error;
    });
  }

  function editorOptions(sessionDir: string, workspace: string, socket: string): EditorOptions {
    return {
      socket,
      idleSeconds: given.editorIdleSeconds,
      given: settings.editor,
      extension: settings.editorExtension,
      sessionDir,
      workspace,
      env: shellEnvironment(env),
      home: user?.home ?? env['HOME'] ?? homedir(),
      user,
      log,
    };
  }

  function leave(): void {
    unlock();
    if (session.goesWithServer) rmSync(session.path, { recursive: true, force: true });
  }
}

/** Before anything of the session is touched: whoever is reached there now may be using it. */
async function prepareAddress(given: Arguments, settings: Settings): Promise<ListenOn> {
  const { listenOn, allowedHosts, isInsecureAllowed } = given;
  if (listenOn.kind === 'socket') {
    const { prepareSocket } = await import('./start/unix-socket.ts');
    return { kind: 'socket', path: await prepareSocket(listenOn.path) };
  }
  const { port } = listenOn;
  const host = given.host ?? settings.host ?? '127.0.0.1';
  const { checkPort, checkReach } = await import('./start/address.ts');
  checkReach(host, settings.sessionApiKey !== undefined || isInsecureAllowed);
  await checkPort(host, port);
  return { kind: 'port', host, port, allowedHosts };
}

/** One Ctrl-C can come twice: from the terminal, and from a launcher that passes it on. */
const sameKeyPressMs = 500;

/** The first signal ends the server in good order; a later one ends the process. */
async function endSignal(): Promise<void> {
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  let firstAtMs = Infinity;
  await new Promise<void>((resolve) => {
    for (const signal of signals) {
      process.on(signal, () => {
        firstAtMs = Math.min(firstAtMs, performance.now());
        if (performance.now() - firstAtMs > sameKeyPressMs) process.exit(1);
        resolve();
      });
    }
  });
}

/** A signal before the server is ready waits a little for it, so that what was started can be ended. */
async function soon(starting: Promise<SandboxServer>): Promise<SandboxServer> {
  const { setTimeout: delay } = await import('node:timers/promises');
  const late = delay(3_000).then(() => {
    throw new Error('ended before it was ready');
  });
  return Promise.race([starting, late]);
}

function log(line: string): void {
  process.stderr.write(`${new Date().toISOString()} ${line}\n`);
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
