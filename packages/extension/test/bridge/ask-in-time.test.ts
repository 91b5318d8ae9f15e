import { expect, test } from 'vitest';
import { greet, openBridge } from './support.ts';

const ask = (params: Record<string, unknown>) => ({
  id: 1,
  type: 'vscode/ask',
  params: { message: 'Where?', questionId: 'question-1', ...params },
});

/** The user does not even say whether it may be asked. */
function unanswered() {
  return openBridge(() => new Promise(() => undefined));
}

test('a question that the user has not let through by its time is answered with its default', async () => {
  const { bridge, calls } = unanswered();
  const peer = await greet((await bridge.begin('a.py')).env);
  peer.send(ask({ default: 'staging', timeout: 400 }));
  expect(await peer.next()).toEqual({
    id: 1,
    success: true,
    result: { questionId: 'question-1', answer: 'staging', outcome: 'default' },
  });
  expect(calls[0]!.call.signal.aborted).toBe(true);
});

test('without a default its time is over with an error', async () => {
  const { bridge } = unanswered();
  const peer = await greet((await bridge.begin('a.py')).env);
  peer.send(ask({ timeout: 400 }));
  expect(await peer.next()).toMatchObject({ success: false, code: 'timeout' });
});

test('what is refused, or has no time of its own, is not answered with the default', async () => {
  const { RequestError } = await import('../../src/requests/request-error.ts');
  const codes = ['rejected', 'timeout'] as const;
  const { bridge } = openBridge((_type, params) => {
    throw new RequestError(codes[params['timeout'] === undefined ? 1 : 0], 'no');
  });
  const peer = await greet((await bridge.begin('a.py')).env);
  peer.send(ask({ default: 'staging', timeout: 5000 }));
  expect(await peer.next()).toMatchObject({ success: false, code: 'rejected' });
  peer.send({ ...ask({ default: 'staging' }), id: 2 });
  expect(await peer.next()).toMatchObject({ success: false, code: 'timeout' });
});
