import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { prepareDockerImages } from './docker-images.ts';

/** A Docker engine of the tests' own, with the images of `docker-images.ts`. */
export interface DockerEngine {
  socket: string;
  /** A process in the engine's network, which is not the machine's. */
  pid: number;
  stop(): Promise<void>;
}

const script = fileURLToPath(new URL('docker-engine.sh', import.meta.url));
const startTimeoutMs = 60_000;
const retryMs = 50;

export async function startDockerEngine(): Promise<DockerEngine> {
  const images = await prepareDockerImages();
  const directory = mkdtempSync(join(tmpdir(), 'fairlead-docker-'));
  const namespaces = ['--mount', '--net', '--pid', '--fork', '--mount-proc'];
  const child = spawn('unshare', [...namespaces, 'bash', script, directory, basename(directory)], {
    stdio: ['pipe', 'ignore', 'inherit'],
    // Ctrl-C is for this process; the engine ends with it.
    detached: true,
  });
  const socket = join(directory, 'docker.sock');
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async () => {
    child.stdin.end();
    await ended;
  };
  try {
    await answering();
    for (const { name, file } of images) await docker(socket, 'import', file, name);
    return { socket, pid: child.pid!, stop };
  } catch (error) {
    const log = readFileSync(join(directory, 'log'), 'utf8').split('\n').slice(-20).join('\n');
    await stop();
    rmSync(directory, { recursive: true, force: true });
    throw new Error(`The Docker engine of the tests did not start: ${(error as Error).message}\n${log}`, {
      cause: error,
    });
  }

  async function answering(): Promise<void> {
    const deadlineMs = Date.now() + startTimeoutMs;
    for (;;) {
      try {
        await docker(socket, 'version');
        return;
      } catch (error) {
        if (child.exitCode !== null || Date.now() > deadlineMs) throw error;
        await delay(retryMs);
      }
    }
  }
}

/** The docker command on one engine, without the user's own settings for it; answers what it prints. */
export async function docker(socket: string, ...args: string[]): Promise<string> {
  const config = join(socket, '..', 'config');
  const { stdout } = await promisify(execFile)(
    'docker',
    ['--config', config, '--host', `unix://${socket}`, ...args],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  return stdout.trim();
}
