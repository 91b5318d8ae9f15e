import { request } from 'node:http';
import { join } from 'node:path';
import type { SandboxSpec } from '../../../packages/gateway/src/drivers/driver.ts';

export interface Observation {
  observation: string;
  content: string;
  exitCode: number;
}

/** Sends a command to a sandbox's shell over its socket. */
export async function act(
  spec: SandboxSpec,
  command: string,
  headers: Record<string, string> = {},
): Promise<Observation> {
  const body = JSON.stringify({ action: { action: 'run', args: { command }, timeout: 60 } });
  const socketPath = join(spec.directories.run, 'server.sock');
  const answer = await askText(socketPath, 'POST', '/execute_action', { body, headers });
  const { observation, content, extras } = JSON.parse(answer) as {
    observation: string;
    content: string;
    extras?: { metadata?: { exit_code?: number } };
  };
  return { observation, content, exitCode: extras?.metadata?.exit_code ?? -1 };
}

/** One of the sandbox server's small routes. */
export async function ask(spec: SandboxSpec, method: string, path: string): Promise<Record<string, unknown>> {
  const text = await askText(join(spec.directories.run, 'server.sock'), method, path);
  return JSON.parse(text) as Record<string, unknown>;
}

export function askText(
  socketPath: string,
  method: string,
  path: string,
  { body, headers = {} }: { body?: string; headers?: Record<string, string> } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { socketPath, method, path, headers: { host: 'sandbox', ...headers } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('error', reject);
        response.on('end', () => {
          if (response.statusCode === 200) resolve(text);
          else reject(new Error(`${response.statusCode}: ${text}`));
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
