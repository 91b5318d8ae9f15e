import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface Nginx {
  /** What it has written to `fairlead.log`. */
  accessLog(): string;
  stop(): Promise<void>;
}

/**
 * Debian's nginx with a configuration as `fairlead nginx` prints it, of which nothing is changed but that it listens on
 * loopback alone, on which ports (80 for one), and where its log is.
 */
export async function startNginx(printed: string, ports: Record<number, number> = {}): Promise<Nginx> {
  const configuration = printed.replaceAll(/(?<=^ *listen )(\d+)/gm, (port) =>
    String(ports[Number(port)] ?? port),
  );
  const directory = mkdtempSync(join(tmpdir(), 'fairlead-nginx-'));
  const log = join(directory, 'fairlead.log');
  const file = join(directory, 'nginx.conf');
  writeFileSync(join(directory, 'fairlead.conf'), onLoopback(configuration, log));
  writeFileSync(file, mainConfiguration(directory));
  const child = spawn('nginx', ['-c', file, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaints = '';
  child.stderr.on('data', (chunk) => (complaints += String(chunk)));
  const ended = once(child, 'close');
  const kill = () => child.kill('SIGKILL');
  process.on('exit', kill);
  const stop = async () => {
    process.off('exit', kill);
    child.kill('SIGTERM');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  for (const port of new Set(
    [...configuration.matchAll(/^ *listen (\d+)/gm)].map(([, port]) => Number(port)),
  )) {
    while (!(await accepts(port))) {
      if (child.exitCode !== null) throw new Error(`nginx did not start: ${complaints}`);
      await delay(10);
    }
  }
  return { accessLog: () => readFileSync(log, 'utf8'), stop };
}

/** What `nginx -t` says about a configuration; throws when it refuses. */
export function checkConfiguration(configuration: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'fairlead-nginx-'));
  try {
    writeFileSync(
      join(directory, 'fairlead.conf'),
      onLoopback(configuration, join(directory, 'fairlead.log')),
    );
    writeFileSync(join(directory, 'nginx.conf'), mainConfiguration(directory));
    const command = `exec nginx -t -q -c '${directory}/nginx.conf' -e stderr 2>&1`;
    return execFileSync('sh', ['-c', command], { encoding: 'utf8' });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function onLoopback(configuration: string, log: string): string {
  return configuration
    .replaceAll(/^ *listen \[::\].*\n/gm, '')
    .replaceAll(/^( *)listen (\d+)/gm, '$1listen 127.0.0.1:$2')
    .replaceAll('/var/log/nginx/fairlead.log', log);
}

function mainConfiguration(directory: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `  ${name}_temp_path ${join(directory, name)};`,
  );
  return [
    'daemon off;',
    // Its worker would otherwise be nobody, who may not write there.
    process.getuid?.() === 0 ? 'user root;' : '',
    `pid ${join(directory, 'nginx.pid')};`,
    'worker_processes 1;',
    'events {}',
    'http {',
    '  access_log off;',
    // As Debian's own file has it: what is switched off must be so in spite of it.
    '  gzip on;',
    ...temporary,
    `  include ${join(directory, 'fairlead.conf')};`,
    '}',
    '',
  ].join('\n');
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return isOpen;
}
