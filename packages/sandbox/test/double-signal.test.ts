import { expect, test } from 'vitest';
import { processesWith, SandboxProcess } from './support/process.ts';
import { temporaryDirectory } from './support/test-server.ts';

test('a signal that comes twice at once still ends the session in good order', async () => {
  const directory = await temporaryDirectory();
  const server = await new SandboxProcess([
    '0',
    '--working-dir',
    directory,
    '--session-dir',
    directory,
  ]).ready();
  await server.act('sleep 1000 & echo');
  server.child.kill('SIGINT');
  server.child.kill('SIGTERM');
  const { code, stderr } = await server.ended;
  expect(stderr).toContain('stopped');
  expect(code).toBe(0);
  expect(processesWith(directory)).toEqual([]);
});
