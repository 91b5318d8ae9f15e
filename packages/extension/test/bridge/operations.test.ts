import { expect, test } from 'vitest';
import { operationText } from '../../src/bridge/operation-text.ts';
import { Operations } from '../../src/bridge/operations.ts';
import type { Submitted } from '../../src/requests/questions/questions.ts';
import { RequestError } from '../../src/requests/request-error.ts';
import { connect, greet, httpAddress, olderAddress, openBridge, post } from './support.ts';

interface Asked {
  type: string;
  params: Record<string, unknown>;
  signal: AbortSignal;
  answer(typed: string | null): void;
  fail(error: Error): void;
}

/** A bridge, and what its operations ask of the editor, which the test answers; commands are done at once. */
async function open() {
  const asked: Asked[] = [];
  const operations = new Operations({
    handle: ({ type, params }, { signal }) =>
      new Promise((resolve, reject) => {
        const answer = (typed: string | null) => resolve({ answer: typed });
        if (type !== 'vscode/executeCommand') asked.push({ type, params, signal, answer, fail: reject });
        else if (params.command === 'score') resolve({ result: { score: params.args[0] } });
        else if (params.command !== 'hang') reject(new RequestError('denied', 'not on the list'));
        signal.addEventListener('abort', () => reject(new RequestError('cancelled', 'withdrawn')));
      }),
    answer: (_runId, questionId, typed): Submitted => {
      const question = asked.find(({ params }) => params['questionId'] === questionId);
      question?.answer(typed);
      return question === undefined ? 'unknown' : 'accepted';
    },
  });
  const { bridge } = openBridge(() => ({}), {
    operations,
    submit: (runId, token, result) =>
      operations.submit(runId, token, result) ?? { submitted: 'unknown', operationId: token },
    left: (callerId) => operations.leave(callerId),
  });
  const run = await bridge.begin('net.py');
  return { bridge, operations, run, asked, peer: await connect(olderAddress(run.env)) };
}

function started(changes: Record<string, unknown> = {}) {
  const body = {
    operationId: 41,
    operationType: 'form',
    resumeToken: 'evo_async_1',
    transitionId: 't_form',
    transitionName: 't_form',
    transitionDescription: null,
    netId: 'net',
    runId: 'run-1',
    createdAt: 1,
    timeoutMs: 300_000,
    uiState: { formSpec: { title: 'Approve?' } },
    metadata: { timeout_ms: 300_000, operationParams: { formSpec: { title: 'Approve?' } } },
    ...changes,
  };
  return { type: 'dapEvent', event: 'asyncOperationStarted', body };
}

const submit = (result: unknown, error: string | null = null, operationId: unknown = 41) => ({
  type: 'dapEvent',
  event: 'asyncOperationSubmit',
  body: { operationId, resumeToken: 'evo_async_1', result, error },
});

test.each([
  ['{"approved": true}', { approved: true }],
  ['yes', 'yes'],
  ['', ''],
])('what the user types as %j is told as JSON says, else as the text it is', async (typed, result) => {
  const { peer, asked } = await open();
  peer.send(started());
  await expect.poll(() => asked.length).toBe(1);
  expect(asked[0]).toMatchObject({
    type: 'vscode/ask',
    params: { message: 'Approve?', timeout: 300_000 },
  });
  asked[0]!.answer(typed);
  expect(await peer.next()).toEqual(submit(result));
});

test('a dismissed question, a refusal and an answer that came too late are told as errors', async () => {
  const { peer, asked } = await open();
  peer.send(started());
  await expect.poll(() => asked.length).toBe(1);
  asked[0]!.answer(null);
  expect(await peer.next()).toEqual(submit(null, 'cancelled'));
  peer.send(started({ operationId: 42 }));
  await expect.poll(() => asked.length).toBe(2);
  asked[1]!.fail(new RequestError('timeout', 'The user did not answer in time.'));
  expect(await peer.next()).toEqual(submit(null, 'The user did not answer in time.', 42));
});

test('the result goes to who waits for it, and to no other program of the run', async () => {
  const { run, peer, asked } = await open();
  const other = await connect(olderAddress(run.env));
  peer.send(started());
  await expect.poll(() => asked.length).toBe(1);
  asked[0]!.answer('mine');
  expect(await peer.next()).toEqual(submit('mine'));
  other.send({ id: 1, type: 'vscode/showMessage', params: { message: 'x' } });
  expect(await other.next()).toMatchObject({ id: 1 });
});

test('a lambda is a command of VS Code, and one that may not be run fails at once', async () => {
  const { peer } = await open();
  const lambda = (operationId: number, name: string) =>
    started({ operationId, operationType: 'lambda', metadata: { operationParams: { name, args: [42] } } });
  peer.send(lambda(41, 'score'));
  expect(await peer.next()).toEqual(submit({ score: 42 }));
  // The existing client tells of each operation twice.
  peer.send(lambda(41, 'score'));
  peer.send(lambda(42, 'unheard'));
  expect(await peer.next()).toEqual(submit(null, 'not on the list', 42));
});

test('a lambda that takes too long is told so in time', async () => {
  const { peer } = await open();
  const metadata = { operationParams: { name: 'hang', args: [] } };
  peer.send(started({ operationType: 'lambda', timeoutMs: 300, metadata }));
  expect(await peer.next()).toEqual(submit(null, expect.stringMatching(/time/i) as string));
});

test('a result by HTTP is told as it is, once', async () => {
  const { run, bridge, peer, asked } = await open();
  peer.send(started());
  await expect.poll(() => asked.length).toBe(1);
  const body = { resumeToken: 'evo_async_1', result: '42' };
  const other = await bridge.begin('other.py');
  expect((await submitted(other.env, body)).status).toBe(404);
  expect(await submitted(run.env, body)).toEqual({ status: 200, body: { ok: true, operationId: 41 } });
  expect(await peer.next()).toEqual(submit('42'));
  expect((await submitted(run.env, body)).status).toBe(409);
});

test('a result by HTTP may come before the user was asked, and while a command is at work', async () => {
  const { run, peer } = await open();
  const metadata = { operationParams: { name: 'hang', args: [] } };
  peer.send(started({ operationType: 'lambda', metadata }));
  const body = { resumeToken: 'evo_async_1', result: { done: true } };
  await expect.poll(async () => (await submitted(run.env, body)).status).toBe(200);
  expect(await peer.next()).toEqual(submit({ done: true }));
});

test('at the end of the extension host nothing is left to be answered', async () => {
  const { operations, peer, asked } = await open();
  peer.send(started());
  await expect.poll(() => asked.length).toBe(1);
  operations.close();
  await expect.poll(() => asked[0]!.signal.aborted).toBe(true);
});

test('clients that can come back ask, and leave nothing', async () => {
  const { run, asked } = await open();
  const peer = await greet(run.env, 'a-client-of-these-days');
  peer.send(started());
  expect(await peer.next()).toMatchObject({ success: false, code: 'invalid_frame' });
  expect(asked).toEqual([]);
});

test('what needs no answer any more is withdrawn: by the program, and with it', async () => {
  const { run, peer, asked } = await open();
  peer.send(started());
  peer.send(started());
  peer.send(started({ operationId: 42, resumeToken: 'evo_async_2' }));
  await expect.poll(() => asked.length).toBe(2);
  const updated = { operationId: 41, status: 'completed' };
  peer.send({ type: 'dapEvent', event: 'asyncOperationUpdated', body: updated });
  await expect.poll(() => asked[0]!.signal.aborted).toBe(true);
  expect(asked[1]!.signal.aborted).toBe(false);
  const late = await submitted(run.env, { resumeToken: 'evo_async_1', result: 1 });
  expect(late.status).toBe(409);
  peer.socket.close();
  await expect.poll(() => asked[1]!.signal.aborted).toBe(true);
});

test('what goes on in the program itself is nothing to ask about, and what is no operation is refused', async () => {
  const { peer, asked } = await open();
  peer.send(started({ operationType: 'async_result', resumeToken: null }));
  peer.send({ type: 'dapEvent', event: 'asyncOperationStarted', body: {} });
  expect(await peer.next()).toMatchObject({ id: null, success: false, code: 'invalid_frame' });
  peer.send({ type: 'dapEvent', event: 'stopped', body: { reason: 'step' } });
  expect(await peer.next()).toMatchObject({ id: null, success: false, code: 'invalid_frame' });
  expect(asked).toEqual([]);
});

test('the user is told who is asked for what', () => {
  const operation = {
    operationId: 1,
    operationType: 'copilot_participant',
    transitionName: 't_review',
    uiState: {},
    metadata: { operationParams: { role: 'reviewer', context: { change: 7 } } },
  };
  expect(operationText(operation)).toBe('t_review – As reviewer: {"change":7}');
  const params = { url: 'https://example/submit', method: 'POST' };
  const hook = { ...operation, operationType: 'http_endpoint', metadata: { operationParams: params } };
  expect(operationText(hook)).toContain('POST https://example/submit');
  expect(operationText({ ...hook, metadata: {} })).toBe('t_review – Answered here, or by HTTP:');
});

function submitted(env: Record<string, string>, body: object) {
  const headers = { 'x-evolve-run-bridge-token': env['EVOLVE_RUN_BRIDGE_TOKEN']! };
  return post(`${httpAddress(env)}submit`, JSON.stringify(body), headers);
}
