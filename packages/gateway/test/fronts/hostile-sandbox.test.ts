import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { startWithSandbox } from './support/with-sandbox.ts';

describe('what a program says that took the place of the sandbox server', () => {
  test('is no page of the gateway, whatever the sandbox says it is', async () => {
    const page = (response: ServerResponse) =>
      response.writeHead(200, { 'content-type': 'text/html', 'x-of-the-sandbox': 'yes' }).end('<script>');
    const { call, base, headers } = await startWithSandbox((_request, response) => void page(response));
    const answer = await call('GET', `${base}/download_files?path=/a`, { headers });
    expect(answer.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
    });
    expect(answer.headers).not.toHaveProperty('x-of-the-sandbox');
  });

  test.each([
    ['a redirect, which would be followed with the key of the owner', 307, { location: '/api/sessions' }],
    ['another protocol, which nobody asked for', 101, { upgrade: 'other', connection: 'upgrade' }],
  ])('is a 502 when it is %s', async (_what, status, given) => {
    const { call, base, headers } = await startWithSandbox((_request, response) => {
      response.writeHead(status, given).end();
    });
    expect((await call('GET', `${base}/shells`, { headers })).status).toBe(502);
  });

  test('ends a terminal when it is longer than any screen', async () => {
    const { watch, base, headers } = await startWithSandbox(
      (_request, response) => void response.end(),
      (terminal) => terminal.send(Buffer.alloc(2 * 1024 * 1024)),
    );
    expect(await watch(`${base}/shells/main/terminal`, headers).closed).toMatchObject({ code: 1011 });
  });
});
