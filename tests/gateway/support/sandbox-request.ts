import { request } from 'node:http';

/** Hands an action to a sandbox as a gateway does, over its socket. */
export function handOver(
  socketPath: string,
  actionId: string,
  event: Record<string, unknown>,
): Promise<{ content: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        socketPath,
        method: 'POST',
        path: '/execute_action',
        headers: { host: 'sandbox', 'idempotency-key': actionId, 'x-action-id': actionId },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('error', reject);
        response.on('end', () => resolve(JSON.parse(text) as { content: string }));
      },
    );
    sent.on('error', reject);
    sent.end(JSON.stringify({ action: event }));
  });
}
