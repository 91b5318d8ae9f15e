import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SandboxProcess } from './support/process.ts';
import { run, startTestServer, temporaryDirectory } from './support/test-server.ts';

const leaseSeconds = 0.3;

test('the lease ends when nobody asks for anything, and each request renews it', async () => {
  const { get, server } = await startTestServer({ leaseSeconds: 1.5 });
  const isOver = watch(server.leaseEnded);
  for (let round = 0; round < 8; round += 1) {
    await get('/alive');
    await delay(250);
    expect(isOver()).toBe(false);
  }
  await server.leaseEnded;
});

test('the lease does not run while a request is being answered', async () => {
  const { act, executor, server } = await startTestServer({ leaseSeconds });
  const isOver = watch(server.leaseEnded);
  const held = act(run('hold'));
  await delay(700);
  expect(isOver()).toBe(false);
  executor.release();
  await held;
  await server.leaseEnded;
});

test('the lease does not run while a WebSocket is open', async () => {
  const { watch: open, server } = await startTestServer({ leaseSeconds });
  const isOver = watch(server.leaseEnded);
  const events = open('/events');
  await events.open();
  await delay(700);
  expect(isOver()).toBe(false);
  events.socket.close();
  await server.leaseEnded;
});

test('a server whose lease is over ends in good order; time in which it was frozen does not count', async () => {
  const directory = await temporaryDirectory();
  const args = ['0', '--lease', '2', '--terminal', 'pty', '--working-dir', directory];
  const server = await new SandboxProcess(args).ready();
  await server.act('true');
  server.child.kill('SIGSTOP');
  await delay(3_000);
  server.child.kill('SIGCONT');
  expect((await server.act('echo thawed')).json.content).toBe('thawed');
  expect(await server.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('the lease is over') });
});

function watch(ended: Promise<void>): () => boolean {
  let isOver = false;
  void ended.then(() => (isOver = true));
  return () => isOver;
}
