import { expect, test } from 'vitest';
import type { Question } from '../../src/requests/questions/question.ts';
import { Questions } from '../../src/requests/questions/questions.ts';
import { keptInMemory } from '../support/kept-in-memory.ts';

/** The questions of a window after a reload, in which programs of these names go on. */
function open(kept = keptInMemory(), here = ['run-1'], elsewhere: string[] = []): Questions {
  const questions = new Questions(kept, () => undefined);
  questions.restore({ here: new Set(here), elsewhere: new Set(elsewhere) });
  return questions;
}

function question(changes: Partial<Question> = {}): Question {
  return {
    questionId: 'question-1',
    askerId: 'run-1',
    who: 'deploy.py',
    isScript: true,
    message: 'Which?',
    kind: 'input',
    choices: [],
    placeholder: '',
    isPassword: false,
    default: null,
    askedAt: Date.now(),
    expiresAt: null,
    answer: null,
    ...changes,
  };
}

const never = new AbortController().signal;

test('a question is listed until it is answered, and its answer reaches who asked', async () => {
  const questions = open();
  const asked = questions.ask(question(), never);
  expect(questions.list()).toHaveLength(1);
  expect(questions.answer(question(), 'this one')).toBe('accepted');
  expect(await asked).toEqual({ questionId: 'question-1', answer: 'this one', outcome: 'answered' });
  expect(questions.list()).toEqual([]);
  expect(questions.answer(question(), 'again')).toBe('answered-already');
});

test('a question that is asked again under its id is one question, and both get the answer', async () => {
  const questions = open();
  const [first, second] = [questions.ask(question(), never), questions.ask(question(), never)];
  expect(questions.list()).toHaveLength(1);
  questions.answer(question(), 'x');
  expect(await first).toEqual(await second);
});

test('after a reload it is still there; answered before its script is back, the answer waits, once', async () => {
  const kept = keptInMemory();
  const before = open(kept);
  void before.ask(question(), never);
  before.dispose();
  const after = open(kept);
  expect(after.list()).toMatchObject([{ message: 'Which?' }]);
  expect(after.answer(question(), 'later')).toBe('accepted');
  const again = open(kept);
  expect(again.list()).toEqual([]);
  expect(await again.ask(question(), never)).toMatchObject({ answer: 'later', outcome: 'answered' });
  expect(kept.get()).toEqual([]);
});

test('a password that nobody has fetched yet is not written down', () => {
  const kept = keptInMemory();
  const secret = question({ isPassword: true, default: 'letmein' });
  const before = open(kept);
  void before.ask(secret, never);
  expect(JSON.stringify(kept.get())).not.toContain('letmein');
  before.dispose();
  const after = open(kept);
  after.answer(secret, 'hunter2');
  expect(JSON.stringify(kept.get())).not.toMatch(/hunter2|letmein/);
});

test('when its time is over the default is the answer; without one it is an error', async () => {
  const questions = open();
  const expiresAt = Date.now() + 20;
  const withDefault = questions.ask(question({ default: 'staging', expiresAt }), never);
  const without = questions.ask(question({ questionId: 'question-2', expiresAt }), never);
  const failed = expect(without).rejects.toMatchObject({ code: 'timeout' });
  expect(await withDefault).toEqual({ questionId: 'question-1', answer: 'staging', outcome: 'default' });
  await failed;
});

test('dismissed, it has no answer', async () => {
  const questions = open();
  const asked = questions.ask(question(), never);
  questions.dismiss(question());
  expect(await asked).toMatchObject({ answer: null, outcome: 'dismissed' });
});

test('it is withdrawn when who asked leaves, and when the run ends', async () => {
  const questions = open();
  const leaving = new AbortController();
  const first = questions.ask(question(), leaving.signal);
  const second = questions.ask(question({ questionId: 'question-2' }), never);
  const other = questions.ask(question({ askerId: 'run-2' }), never);
  leaving.abort();
  await expect(first).rejects.toMatchObject({ code: 'cancelled' });
  expect(questions.list()).toHaveLength(2);
  questions.end('run-1');
  await expect(second).rejects.toMatchObject({ code: 'cancelled' });
  expect(questions.list()).toMatchObject([{ askerId: 'run-2' }]);
  questions.answer({ askerId: 'run-2', questionId: 'question-1' }, 'mine');
  expect(await other).toMatchObject({ answer: 'mine' });
});

test.each([
  ['input', 'text', true],
  ['input', true, false],
  ['pick', 'b', true],
  ['pick', 'not there', false],
  ['multiPick', ['a', 'b'], true],
  ['multiPick', ['a', 'x'], false],
  ['multiPick', 'a', false],
  ['confirm', false, true],
  ['confirm', 'yes', false],
  ['input', { any: 1 }, false],
] as const)('a %s takes %j: %s', (kind, answer, isTaken) => {
  const questions = open();
  const choices = ['a', 'b'].map((label) => ({ label, description: '' }));
  const asked = question({ kind, choices });
  const result = questions.ask(asked, never);
  result.catch(() => undefined);
  expect(questions.answer(asked, answer)).toBe(isTaken ? 'accepted' : 'does-not-fit');
});

test('a question nobody asked is unknown', () => {
  expect(open().answer(question(), 'x')).toBe('unknown');
});

test('a question that its session takes away is gone, nobody is told, and it can be asked again', async () => {
  const kept = keptInMemory();
  const before = open(kept);
  const told: unknown[] = [];
  const deadline = new AbortController();
  const asked = before.ask(question({ askerId: 'session-1', isScript: false }), deadline.signal);
  asked.then(
    (result) => told.push(result),
    (error) => told.push(error),
  );
  void before.ask(question({ askerId: 'session-2', isScript: false }), never);
  before.withdraw('session-1');
  const askers = (questions: Questions) => questions.list().map(({ askerId }) => askerId);
  expect(askers(before)).toEqual(['session-2']);
  expect(kept.get()).toMatchObject([{ askerId: 'session-2' }]);
  const again = before.ask(question({ askerId: 'session-1' }), never);
  // The end of the first time that it was asked takes nothing away from the second.
  deadline.abort();
  await new Promise(setImmediate);
  expect(told).toEqual([]);
  before.answer(question({ askerId: 'session-1' }), 'yes');
  expect(await again).toMatchObject({ answer: 'yes' });
});

test('a window that opens beside another neither shows nor takes away what that one asks', async () => {
  const kept = keptInMemory();
  const first = open(kept);
  const asked = first.ask(question(), never);
  const second = open(kept, [], ['run-1']);
  expect(second.list()).toEqual([]);
  expect(second.answer(question(), 'swallowed')).toBe('unknown');
  const mine = question({ askerId: 'run-2' });
  const askedBeside = second.ask(mine, never);
  void first.ask(question({ questionId: 'question-2' }), never);
  const names = () => (kept.get() as Question[]).map(({ askerId, questionId }) => `${askerId} ${questionId}`);
  expect(new Set(names())).toEqual(new Set(['run-1 question-1', 'run-2 question-1', 'run-1 question-2']));
  second.answer(mine, 'mine');
  first.answer(question(), 'yours');
  expect(await askedBeside).toMatchObject({ answer: 'mine' });
  expect(await asked).toMatchObject({ answer: 'yours' });
  expect(names()).toEqual(['run-1 question-2']);
});

test('questions of programs that are gone are forgotten, those of an agent wait until it asks again', async () => {
  const kept = keptInMemory();
  const before = open(kept);
  const ofAgent = question({ askerId: 'session-1', isScript: false });
  void before.ask(question(), never);
  void before.ask(ofAgent, never);
  before.dispose();
  const after = open(kept, []);
  expect(after.list()).toEqual([]);
  expect(kept.get()).toMatchObject([{ askerId: 'session-1' }]);
  const again = after.ask({ ...ofAgent, message: 'Once more?' }, never);
  expect(after.list()).toMatchObject([{ message: 'Which?' }]);
  after.answer(ofAgent, 'yes');
  expect(await again).toMatchObject({ answer: 'yes' });
  expect(kept.get()).toEqual([]);
});

test.each([
  ['its default', { default: 'staging' }],
  ['its default, which is not written down', { default: 'secret', isPassword: true }],
  ['an error without one', {}],
])('when its time is over while its script is away, that gets %s when it is back', async (_what, changes) => {
  const kept = keptInMemory();
  const before = open(kept);
  const asked = question({ ...changes, expiresAt: Date.now() + 5 });
  before.ask(asked, never).catch(() => undefined);
  before.dispose();
  const after = open(kept);
  await expect.poll(() => after.list()).toEqual([]);
  // Another reload makes no difference.
  after.dispose();
  const again = open(kept).ask({ ...asked, expiresAt: Date.now() + 60_000 }, never);
  if (asked.default === null) await expect(again).rejects.toMatchObject({ code: 'timeout' });
  else expect(await again).toMatchObject({ answer: asked.default, outcome: 'default' });
  expect(kept.get()).toEqual([]);
});
