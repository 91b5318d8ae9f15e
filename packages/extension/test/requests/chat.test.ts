import { expect, test, vi } from 'vitest';
import { chatError, refusalInText } from '../../src/requests/chat/chat-errors.ts';
import { chooseModel } from '../../src/requests/chat/choose-model.ts';
import { chat } from '../../src/requests/chat/chat.ts';
import { type ChatMessage, Conversations } from '../../src/requests/chat/conversations.ts';
import { keptInMemory } from '../support/kept-in-memory.ts';

/** A model that ends what it says as soon as it is told to stop. */
const stopped = Promise.withResolvers<void>();
vi.mock('vscode', () => ({
  CancellationTokenSource: class {
    cancel = stopped.resolve;
    dispose = () => undefined;
  },
  LanguageModelChatMessage: { User: String, Assistant: String },
  workspace: { getConfiguration: () => ({ get: () => '' }) },
  lm: {
    selectChatModels: async () => [
      {
        ...models[0],
        maxInputTokens: 1000,
        sendRequest: async () => ({
          text: (async function* () {
            yield 'The first half of ';
            await stopped.promise;
          })(),
        }),
      },
    ],
  },
}));

const models = [
  { id: 'gpt-4o-mini', name: 'GPT-4o mini', vendor: 'copilot', family: 'gpt-4o-mini' },
  { id: 'gpt-4o-2024', name: 'GPT-4o', vendor: 'copilot', family: 'gpt-4o' },
  { id: 'opus', name: 'Opus', vendor: 'other', family: 'opus' },
];

test.each([
  ['opus', 'opus'],
  ['GPT-4O', 'gpt-4o-2024'],
  ['other/opus', 'opus'],
  ['copilot/gpt-4o', 'gpt-4o-2024'],
  ['mini', 'gpt-4o-mini'],
  ['grok-code-fast-1', 'gpt-4o-mini'],
  ['', 'gpt-4o-mini'],
])('of the models, %j is %s: exact before part before the first', (wanted, id) => {
  expect(chooseModel(models, wanted)?.id).toBe(id);
});

test('where there is no model there is none to choose', () => {
  expect(chooseModel([], 'opus')).toBeUndefined();
});

test.each([
  [{ code: 'NoPermissions', message: 'no' }, 'no_permission'],
  [{ code: 'Blocked', message: 'filtered' }, 'refused'],
  [{ code: 'NotFound', message: 'gone' }, 'no_model'],
  [{ code: 'Unknown', message: 'x', cause: new Error('off_topic') }, 'off_topic'],
  [{ code: 'Unknown', message: 'x', cause: new Error('503') }, 'failed'],
  [new Error('network'), 'failed'],
])('the error %j of a model has the code %s', (error, code) => {
  expect(chatError(error).code).toBe(code);
});

test.each([
  ["Sorry, I can't assist with that.", 'refused'],
  ['Sorry, but I can’t help with this. I only answer programming questions.', 'off_topic'],
  ["Sorry, I can't assist with that.".padEnd(300, ' but here is a long answer'), undefined],
  ['The error says "Sorry, I can\'t assist with that."', undefined],
  ['4', undefined],
])('the answer %j refuses: %s', (answer, code) => {
  expect(refusalInText(answer)?.code).toBe(code);
});

function conversations(kept = keptInMemory()): Conversations {
  return new Conversations(kept);
}

const said = (role: ChatMessage['role'], content: string): ChatMessage => ({ role, content, timestamp: 1 });

test('a conversation goes on after a reload of the window', () => {
  const kept = keptInMemory();
  conversations(kept).add('c', [said('user', 'hi'), said('assistant', 'hello')]);
  expect(
    conversations(kept)
      .messages('c')
      .map(({ content }) => content),
  ).toEqual(['hi', 'hello']);
  expect(conversations(kept).messages('another')).toEqual([]);
});

test('what is kept is bounded: conversations, messages, characters', () => {
  const kept = keptInMemory();
  const all = conversations(kept);
  for (let index = 0; index < 60; index++) all.add(`c${index}`, [said('user', 'x')]);
  expect(all.messages('c0')).toEqual([]);
  expect(all.messages('c59')).toHaveLength(1);
  for (let index = 0; index < 80; index++) all.add('long', [said('user', 'q'), said('assistant', 'a')]);
  expect(all.messages('long')).toHaveLength(100);
  all.add('big', [said('user', 'x'.repeat(150_000)), said('assistant', 'y'.repeat(150_000))]);
  expect(all.messages('big').map(({ role }) => role)).toEqual(['assistant']);
});

test('what is said again to the model fits, and begins with the user', () => {
  const all = conversations();
  all.add('c', [
    said('user', 'aaaa'),
    said('assistant', 'bbbb'),
    said('user', 'cc'),
    said('assistant', 'dd'),
  ]);
  expect(all.latest('c', 100)).toHaveLength(4);
  expect(all.latest('c', 9).map(({ content }) => content)).toEqual(['cc', 'dd']);
  expect(all.latest('c', 3)).toEqual([]);
});

test('the oldest conversations go when all together are too long', () => {
  const all = conversations();
  for (let number = 0; number < 8; number += 1)
    all.add(`c${number}`, [said('user', 'x'.repeat(150_000)), said('assistant', 'y')]);
  expect(all.messages('c1')).toEqual([]);
  expect(all.messages('c2')).toHaveLength(2);
});

test('an answer that was cancelled half way is an error, and no part of the conversation', async () => {
  const all = conversations();
  all.add('c', [said('user', 'hi'), said('assistant', 'hello')]);
  const controller = new AbortController();
  const params = { message: 'deploy?', conversationId: 'c', stream: true, timeout: 30_000 };
  const asked = chat(all, params, {
    who: 'a.py',
    signal: controller.signal,
    onPart: () => controller.abort(),
  });
  await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
  expect(all.messages('c')).toHaveLength(2);
});
