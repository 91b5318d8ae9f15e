import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For a machine that is busy with other things. */
const timeoutMs = 30_000;

const firstCommand = JSON.stringify({ action: { action: 'run', args: { command: 'true' } } });

/**
 * Has the server do what every one of them does first, and then write down what it has compiled for it. Where that
 * fails, such as on a machine without bash, a bundle is slower to start and no worse.
 */
export async function precompile(command: string[], target: string): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), 'fairlead-compile-'));
  const socket = join(place, 'server.sock');
  const where = ['--socket', socket, '--session-dir', join(place, 'session'), '--working-dir', place];
  const [program = '', ...args] = [...command, '--compile-to', target, ...where];
  const server = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: place },
    timeout: timeoutMs,
  });
  const ended = once(server, 'exit').catch(() => undefined);
  try {
    const isListening = await Promise.race([once(server.stdout, 'data'), ended.then(() => false)]);
    if (isListening === false) return;
    await ask(socket, 'GET', '/alive');
    await ask(socket, 'POST', '/execute_action', firstCommand);
  } catch {
    // It has ended before its time.
  } finally {
    server.kill();
    await ended;
    rmSync(place, { recursive: true, force: true });
  }
}

async function ask(socketPath: string, method: string, path: string, body?: string): Promise<void> {
  const asked = request({ socketPath, method, path, headers: { host: 'localhost' } }).end(body);
  const [answer] = (await once(asked, 'response')) as [NodeJS.ReadableStream];
  answer.resume();
  await once(answer, 'end');
}
