import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFlags } from '../../packages/sandbox/bin/node-flags.mjs';
import { HttpClient } from './http-client.ts';
import { NodeProcess } from './node-process.ts';

export type TerminalKind = 'pty' | 'tmux' | 'auto';

export const sandboxCommand = fileURLToPath(
  new URL('../../packages/sandbox/bin/fairlead-sandbox.mjs', import.meta.url),
);

/** The real server in a process of its own, with a home, a workspace and a session that nobody else has. */
export class SandboxServer {
  readonly process: NodeProcess;
  readonly place: Place;
  readonly port: number;
  readonly client: HttpClient;

  private constructor(process: NodeProcess, place: Place, port: number) {
    this.process = process;
    this.place = place;
    this.port = port;
    this.client = new HttpClient(port);
  }

  static async start(terminal: TerminalKind, nodeArgs: string[] = []): Promise<SandboxServer> {
    const place = makePlace();
    const args = [...nodeFlags, ...nodeArgs, sandboxCommand, '0', ...serverArguments(place, terminal)];
    const process = new NodeProcess(args, place.environment);
    try {
      const port = Number(await process.says(/listening on http:\/\/127\.0\.0\.1:(\d+) /));
      return new SandboxServer(process, place, port);
    } catch (error) {
      place.remove();
      throw error;
    }
  }

  /** Runs a command to its end; throws when it failed. */
  async run(command: string, timeoutSeconds = 60): Promise<void> {
    const answer = await this.client.post('/execute_action', runBody(command, timeoutSeconds));
    if (!answer.includes('"exit_code":0,')) throw new Error(`"${command}" failed: ${answer.slice(-1000)}`);
  }

  async close(): Promise<void> {
    this.client.close();
    await this.process.stop();
    this.place.remove();
  }
}

export interface Place {
  /** Also in the environment of all that a server starts here, by which those processes are found. */
  directory: string;
  workspace: string;
  environment: NodeJS.ProcessEnv;
  remove(): void;
}

export function makePlace(): Place {
  const directory = mkdtempSync(join(tmpdir(), 'fairlead-bench-'));
  const home = join(directory, 'home');
  const workspace = join(directory, 'workspace');
  for (const path of [home, workspace]) mkdirSync(path);
  const environment = { PATH: process.env['PATH'], HOME: home, TMPDIR: directory, LANG: 'C.UTF-8' };
  const remove = () => {
    process.off('exit', remove);
    rmSync(directory, { recursive: true, force: true });
  };
  process.on('exit', remove);
  return { directory, workspace, environment, remove };
}

export function serverArguments({ directory, workspace }: Place, terminal: TerminalKind): string[] {
  return ['--working-dir', workspace, '--session-dir', join(directory, 'session'), '--terminal', terminal];
}

export function runBody(command: string, timeoutSeconds = 60): string {
  return actionBody('run', { command, blocking: true }, timeoutSeconds);
}

export function actionBody(action: string, args: Record<string, unknown>, timeoutSeconds = 60): string {
  return JSON.stringify({ action: { action, args, timeout: timeoutSeconds } });
}
