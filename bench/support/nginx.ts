import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { firstAlive } from './first-alive.ts';
import { freePort } from './free-port.ts';

/** nginx as it would be set up by hand for one server: one worker, kept connections. Undefined where there is none. */
export async function startNginx(
  directory: string,
  appPort: number,
): Promise<{ port: number; stop(): Promise<void> } | undefined> {
  const port = await freePort();
  const file = join(directory, 'nginx.conf');
  writeFileSync(file, configuration(port, appPort, directory));
  const child = spawn('nginx', ['-c', file, '-e', 'stderr'], { stdio: 'ignore' });
  const started = await once(child, 'spawn').catch(() => undefined);
  if (started === undefined) return undefined;
  const ended = once(child, 'close');
  const stop = async () => {
    process.off('exit', kill);
    child.kill('SIGTERM');
    await ended;
  };
  const kill = () => child.kill('SIGTERM');
  process.on('exit', kill);
  await firstAlive(port);
  return { port, stop };
}

function configuration(port: number, appPort: number, directory: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(directory, `nginx-${name}`)};`)
    .join('\n  ');
  // Its worker would otherwise be nobody, who may not write there.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  return `
daemon off;
${user}
worker_processes 1;
pid ${join(directory, 'nginx.pid')};
events { worker_connections 512; }
http {
  access_log off;
  keepalive_requests 1000000000;
  ${temporary}
  upstream app { server 127.0.0.1:${appPort}; keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://app;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
    }
  }
}
`;
}
