import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Door, openDoor } from '../../support/code-server-door.ts';

export interface CodeServerOptions {
  /** Its program. */
  command: string[];
  /** Where it keeps everything; a short path, for there are sockets in it. */
  directory: string;
  /** With the extensions, each in a folder. */
  extensionsDir: string;
  settings: Record<string, unknown>;
  /** Whether folders have to be trusted first. */
  hasTrust: boolean;
  env: Record<string, string>;
}

export interface CodeServer {
  url: string;
  userDataDir: string;
  close(): Promise<void>;
}

const startTimeoutMs = 60_000;
const retryMs = 50;

const graceSeconds = 10;

/** One server, for as many windows as there are pages. */
export async function startCodeServer(options: CodeServerOptions): Promise<CodeServer> {
  const { command, directory, extensionsDir, settings, hasTrust, env } = options;
  const [program = '', ...first] = command;
  const socket = join(directory, 'editor.sock');
  const userDataDir = join(directory, 'data');
  const logFile = join(directory, 'editor.log');
  // In both: what belongs to the machine is only read from the latter, all else from the former.
  for (const place of ['User', 'Machine']) {
    mkdirSync(join(userDataDir, place), { recursive: true });
    writeFileSync(join(userDataDir, place, 'settings.json'), JSON.stringify(settings, undefined, 2));
  }
  const child = spawn(
    program,
    [
      ...first,
      `--socket=${socket}`,
      '--socket-mode=600',
      `--session-socket=${socket}.open`,
      '--auth=none',
      '--config=/dev/null',
      `--user-data-dir=${userDataDir}`,
      `--extensions-dir=${extensionsDir}`,
      '--disable-telemetry',
      '--disable-update-check',
      '--disable-getting-started-override',
      '--disable-proxy',
      '--ignore-last-opened',
      // A page that goes may not get its farewell out; its extension host would wait for hours for it to come back.
      `--reconnection-grace-time=${graceSeconds}`,
      ...(hasTrust ? [] : ['--disable-workspace-trust']),
    ],
    // A group of its own: its extension hosts and terminals end with it.
    { env, cwd: directory, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const log = createWriteStream(logFile);
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const ended = once(child, 'close');
  let door: Door | undefined;
  const close = async () => {
    await door?.close();
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL');
    await ended;
    log.end();
  };
  try {
    await answering();
    door = await openDoor(socket);
    return { url: door.url, userDataDir, close };
  } catch (error) {
    await close();
    throw new Error(
      `code-server did not start: ${(error as Error).message}\n${readFileSync(logFile, 'utf8')}`,
      {
        cause: error,
      },
    );
  }

  async function answering(): Promise<void> {
    const deadlineMs = Date.now() + startTimeoutMs;
    while (!(await isAnswering(socket))) {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
      if (Date.now() > deadlineMs) throw new Error(`no answer within ${startTimeoutMs / 1000} seconds`);
      await delay(retryMs);
    }
  }
}

function isAnswering(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ socketPath, path: '/healthz', agent: false });
    asked.on('response', (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.on('error', () => resolve(false));
    asked.end();
  });
}
