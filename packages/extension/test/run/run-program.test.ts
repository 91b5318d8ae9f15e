import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { startMark } from '../../src/run/start-mark.ts';
import { openBridge } from '../bridge/support.ts';

const runner = fileURLToPath(new URL('../../bin/run-program.ts', import.meta.url));

function start(args: string[], env: Record<string, string>, mark = startMark()) {
  const child = fork(runner, [mark, ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    silent: true,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout!.on('data', (data) => (output += String(data)));
  child.stderr!.on('data', (data) => (output += String(data)));
  return { child, output: () => output };
}

test('the end of the program revokes the token, while its output stays until a key is pressed', async () => {
  const { bridge, ended } = openBridge(() => ({}));
  const run = await bridge.begin('a.sh');
  const { child, output } = start(['bash', '-c', 'echo "it is $1"; exit 3', 'a.sh', 'a b'], run.env);
  await expect.poll(() => ended, { timeout: 15_000 }).toEqual([{ runId: run.id, exitCode: 3 }]);
  await expect.poll(output).toContain('it is a b');
  await expect.poll(output).toContain('ended with exit code 3');
  expect(child.exitCode).toBe(null);
  const exit = once(child, 'exit');
  child.stdin!.write('x');
  expect((await exit)[0]).toBe(0);
});

test('the program does not get what only the runner needs', async () => {
  const { output } = start(['bash', '-c', 'echo "[$ELECTRON_RUN_AS_NODE]"'], { ELECTRON_RUN_AS_NODE: '1' });
  await expect.poll(output, { timeout: 15_000 }).toContain('[]');
});

test('a program that is not there is told by its name', async () => {
  const { output } = start(['/not/there'], {});
  await expect.poll(output, { timeout: 15_000 }).toContain('/not/there could not be started');
});

test('a terminal that VS Code brings back does not start its program again', async () => {
  const mark = startMark();
  const first = start(['bash', '-c', 'echo "it runs $0"', 'a.sh'], {}, mark);
  await expect.poll(first.output, { timeout: 15_000 }).toContain('it runs a.sh');
  const again = start(['bash', '-c', 'echo "it runs $0"', 'a.sh'], {}, mark);
  await expect.poll(again.output, { timeout: 15_000 }).toContain('is not started again by itself');
  expect(again.output()).not.toContain('it runs a.sh');
  const exit = once(again.child, 'exit');
  again.child.stdin!.write('x');
  await exit;
});
