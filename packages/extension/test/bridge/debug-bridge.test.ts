import { expect, test } from 'vitest';
import type { Call } from '../../src/bridge/answer.ts';
import { DebugBridge } from '../../src/bridge/debug-bridge.ts';
import { Operations } from '../../src/bridge/operations.ts';
import { RequestError } from '../../src/requests/request-error.ts';

function open(handle: (call: Call) => Promise<Record<string, unknown>>) {
  const sent: [string, Record<string, unknown>][] = [];
  const left: string[] = [];
  const bridge = new DebugBridge({
    run: { id: 'debug-1', name: 'Net' },
    handle: (_request, call) => handle(call),
    operations: new Operations({
      handle: async ({ params }) => ({ answer: JSON.stringify({ asked: params }), outcome: 'answered' }),
      answer: () => 'unknown',
    }),
    request: async (command, args) => void sent.push([command, args]),
    left: (callerId) => left.push(callerId),
    log: () => undefined,
  });
  return { bridge, sent, left };
}

const asks = (body: object) => ({ type: 'event', event: 'customRequest', body });
const message = { type: 'vscode/showMessage', params: { message: 'hi' } };

test('an event of the adapter is answered by a request to it', async () => {
  const { bridge, sent } = open(async () => ({ button: null }));
  bridge.receive(asks({ requestId: 0, ...message }));
  await expect
    .poll(() => sent)
    .toEqual([['customRequestResponse', { requestId: 0, success: true, result: { button: null } }]]);
});

test('a failure is told with its text and code; a refusal in the older form unless the adapter gives a version', async () => {
  const { bridge, sent } = open(async () => {
    throw new RequestError('off_topic', 'not that');
  });
  const chat = { type: 'vscode/chat', params: { message: 'x' } };
  bridge.receive(asks({ requestId: 1, ...chat }));
  await expect.poll(() => sent.length).toBe(1);
  expect(sent[0]![1]).toMatchObject({ success: true, result: { blocked: true, blockedReason: 'off_topic' } });
  bridge.receive(asks({ requestId: 2, ...chat, protocolVersion: 1 }));
  await expect.poll(() => sent.length).toBe(2);
  expect(sent[1]![1]).toEqual({ requestId: 2, success: false, error: 'not that', code: 'off_topic' });
});

test('ordinary messages of a debug session are left alone', async () => {
  const { bridge, sent } = open(async () => ({}));
  for (const ordinary of [
    { type: 'event', event: 'output', body: { output: 'x' } },
    { type: 'event', event: 'customRequest' },
    { type: 'response', command: 'customRequest', body: { requestId: 1, ...message } },
    undefined,
    'text',
  ])
    bridge.receive(ordinary);
  await new Promise(setImmediate);
  expect(sent).toEqual([]);
});

test('an operation of the adapter gets its result by a request to it', async () => {
  const { bridge, sent } = open(async () => ({}));
  const body = { operationId: 7, resumeToken: 'r7', operationType: 'form', transitionName: 'Approve?' };
  bridge.receive({ type: 'event', event: 'asyncOperationStarted', body });
  const result = { asked: expect.objectContaining({ message: 'Approve?' }) };
  await expect
    .poll(() => sent)
    .toEqual([['asyncOperationSubmit', { operationId: 7, resumeToken: 'r7', result, error: null }]]);
  bridge.end();
  bridge.receive({ type: 'event', event: 'asyncOperationStarted', body: { ...body, operationId: 8 } });
  await new Promise(setImmediate);
  expect(sent).toHaveLength(1);
});

test('parts are sent to adapters that give a version', async () => {
  const { bridge, sent } = open(async ({ onPart }) => {
    onPart('a');
    onPart('b');
    return { response: 'ab' };
  });
  const chat = { type: 'vscode/chat', params: { message: 'x', stream: true } };
  bridge.receive(asks({ requestId: 1, ...chat, protocolVersion: 1 }));
  await expect.poll(() => sent.length).toBe(3);
  expect(sent.map(([command]) => command)).toEqual([
    'customRequestPart',
    'customRequestPart',
    'customRequestResponse',
  ]);
  expect(sent[1]![1]).toEqual({ requestId: 1, index: 1, text: 'b' });
});

test('cancel, and the end of the debug session, cancel what is asked', async () => {
  const signals: AbortSignal[] = [];
  const { bridge, sent, left } = open(({ signal }) => {
    signals.push(signal);
    return new Promise(() => undefined);
  });
  bridge.receive(asks({ requestId: 1, ...message }));
  bridge.receive(asks({ requestId: 2, ...message }));
  await expect.poll(() => signals.length).toBe(2);
  bridge.receive(asks({ requestId: 1, type: '$/cancel' }));
  await expect.poll(() => sent.length).toBe(1);
  expect(sent[0]![1]).toMatchObject({ requestId: 1, success: false, code: 'cancelled' });
  bridge.end();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  expect(left).toEqual(['debug-1']);
});
