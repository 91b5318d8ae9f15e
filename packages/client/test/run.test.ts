import { errorObservation, runObservation } from '@fairlead/protocol';
import { describe, expect, it } from 'vitest';
import {
  actionIdOf,
  actionsRoute,
  finished,
  json,
  observed,
  output,
  sessionId,
} from './support/test-gateway.ts';
import { useGateway } from './support/use-gateway.ts';

describe('run', () => {
  const held = useGateway();
  const run = (...args: Parameters<ReturnType<typeof held.client.session>['run']>) =>
    held.client.session(sessionId).run(...args);

  it('sends a blocking command with a name of its own and answers with the facts', async () => {
    held.gateway.routes.set(actionsRoute, (_request, response) => json(response, finished));
    const result = await run('make', { timeoutSeconds: 9, shell: 'build' });
    expect(result).toMatchObject({
      outcome: 'completed',
      exitCode: 3,
      output: 'built',
      directory: '/workspace',
    });
    const [request] = held.gateway.requests;
    expect(JSON.parse(String(request?.body))).toEqual({
      action: 'run',
      args: { command: 'make', blocking: true },
      timeout: 9,
      shell: 'build',
    });
    expect(request?.headers['idempotency-key']).toBe(result.actionId);
    expect(request?.headers['x-action-id']).toBe(result.actionId);
    expect(request?.headers.authorization).toBe('Bearer fl_test_key');
  });

  it('gives live output in order, and all of it before the result', async () => {
    const { gateway } = held;
    gateway.routes.set(actionsRoute, (request, response) => {
      const id = actionIdOf(request);
      gateway.send([output(id, 'one\r\n'), output('another', 'not ours'), output(id, 'two\r\n')]);
      json(response, finished);
      gateway.send([output(id, 'three'), output(null, '$ ')]);
      gateway.send([observed(7, id, finished), output(id, 'too late')]);
    });
    const pieces: string[] = [];
    const result = await run('make', {
      // Slow, so that the answer is there long before the output is.
      onOutput: async (data) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        pieces.push(data);
      },
    });
    expect(pieces).toEqual(['one\r\n', 'two\r\n', 'three']);
    expect(result).toMatchObject({ exitCode: 3, isOutputComplete: true });
  });

  it('sends the command only when the watch has reached the present', async () => {
    const { gateway } = held;
    let watchesBefore = -1;
    gateway.routes.set(actionsRoute, (request, response) => {
      watchesBefore = gateway.watches.length;
      gateway.send([observed(1, actionIdOf(request), finished)]);
      json(response, finished);
    });
    await run('make', { onOutput: () => undefined });
    expect(watchesBefore).toBe(1);
  });

  it('takes the observation from the watch when the answer does not come', async () => {
    const { gateway } = held;
    gateway.routes.set(actionsRoute, (request) => gateway.send([observed(1, actionIdOf(request), finished)]));
    expect(await run('make', { onOutput: () => undefined })).toMatchObject({ exitCode: 3 });
  });

  it('says when output was lost', async () => {
    const { gateway } = held;
    gateway.routes.set(actionsRoute, (request, response) => {
      gateway.send([{ type: 'lost-output', bytes: 5 }, observed(1, actionIdOf(request), finished)]);
      json(response, finished);
    });
    expect(await run('make', { onOutput: () => undefined })).toMatchObject({ isOutputComplete: false });
  });

  it('fails when what takes the output fails, and does not wait for the command', async () => {
    const { gateway } = held;
    gateway.routes.set(actionsRoute, (request) => gateway.send([output(actionIdOf(request), 'x')]));
    const onOutput = () => {
      throw new Error('the pipe is closed');
    };
    await expect(run('make', { onOutput })).rejects.toThrow('the pipe is closed');
  });

  it('does not send the command when the session cannot be watched', async () => {
    held.gateway.watchAnswer = { ok: false, status: 404, detail: 'Session not found' };
    const failure = run('make', { onOutput: () => undefined });
    await expect(failure).rejects.toMatchObject({ code: 'not-found', message: 'Session not found' });
    expect(held.gateway.requests).toEqual([]);
  });

  it('cancels on abort, asks again until the runtime knows the action, and tells how it ended', async () => {
    const { gateway } = held;
    const abort = new AbortController();
    const cancelled = Promise.withResolvers<void>();
    let asked = 0;
    gateway.routes.set(actionsRoute, async (request, response) => {
      gateway.routes.set(
        `POST /runtimes/${sessionId}/actions/${actionIdOf(request)}/cancel`,
        (_request, answer) => {
          asked += 1;
          if (asked < 3) return json(answer, { detail: 'No running action' }, 404);
          json(answer, { detail: 'Cancelling' }, 202);
          cancelled.resolve();
        },
      );
      abort.abort();
      await cancelled.promise;
      const suffix = '\n[The command completed with exit code 130.]\n[The command was cancelled.]';
      json(response, runObservation('make', '^C', { exit_code: 130, suffix }));
    });
    expect(await run('make', { signal: abort.signal })).toMatchObject({
      outcome: 'cancelled',
      exitCode: 130,
    });
    expect(asked).toBe(3);
  });

  const outcomes = [
    {
      name: 'a command that goes on after its time-out is running',
      answer: runObservation('x', 'some', {
        suffix: '\n[The command timed out after 2.0 seconds. You may wait]',
      }),
      expected: { outcome: 'running', exitCode: null, output: 'some' },
    },
    {
      name: 'a command that was refused because another one runs is not run',
      answer: runObservation('x', '', { suffix: '\n[Your command "x" is NOT executed. The previous …]' }),
      expected: { outcome: 'not-run', exitCode: null },
    },
    {
      name: 'an error observation is not run, and its text is the remark',
      answer: errorObservation('ERROR: Cannot execute multiple commands at once.'),
      expected: { outcome: 'not-run', remark: 'ERROR: Cannot execute multiple commands at once.' },
    },
    {
      name: 'an outcome that nobody knows is told as unknown',
      answer: errorObservation(
        'ERROR: The outcome of this action is unknown: the server ended while it ran.',
      ),
      expected: { outcome: 'unknown', exitCode: null },
    },
  ];
  for (const { name, answer, expected } of outcomes) {
    it(name, async () => {
      held.gateway.routes.set(actionsRoute, (_request, response) => json(response, answer));
      expect(await run('x')).toMatchObject(expected);
    });
  }
});
