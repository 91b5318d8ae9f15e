import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { awaitSocket } from '../../src/drivers/await-socket.ts';

test('a sandbox that begins to answer and never comes to an end is not waited for', async () => {
  const run = mkdtempSync(join(tmpdir(), 'await-'));
  const dripping = createServer((connection) => {
    connection.on('error', () => undefined);
    connection.write('HTTP/1.1 200 OK\r\nx-slow: ');
    const timer = setInterval(() => connection.write('x'), 100);
    connection.on('close', () => clearInterval(timer));
  });
  dripping.listen(join(run, 'server.sock'));
  await once(dripping, 'listening');
  onTestFinished(() => {
    dripping.close();
    rmSync(run, { recursive: true });
  });
  const gone = new Promise<string>(() => undefined);
  await expect(awaitSocket({ run, timeoutMs: 500, gone })).rejects.toThrow(
    /did not answer within 0\.5 seconds/,
  );
});
