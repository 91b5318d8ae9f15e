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
  const answer = await post(join(spec.directories.run, 'server.sock'), body, headers);
  const { observation, content, extras } = JSON.parse(answer) as {
    observation: string;
    content: string;
    extras?: { metadata?: { exit_code?: number } };
  };
  return { observation, content, exitCode: extras?.metadata?.exit_code ?? -1 };
}

function post(socketPath: string, body: string, headers: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { socketPath, method: 'POST', path: '/execute_action', headers: { host: 'sandbox', ...headers } },
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
