import { expect, test } from 'vitest';
import { PersonTyping } from '../../src/shell/person-typing.ts';

function typed(...keys: string[]): PersonTyping {
  const person = new PersonTyping();
  for (const key of keys) person.type(key);
  return person;
}

test('a line is typed until the prompt after it', () => {
  const person = typed('l', 's', '\r');
  expect(person.isTyping).toBe(true);
  person.onPrompt(false);
  expect(person.isTyping).toBe(false);
  expect(person.hasTyped).toBe(true);
});

test.each([['\rnext'], ['one\rtwo\r'], ['\x03half']])(
  'what is typed ahead of the prompt, as by %j, is typing still when it comes',
  (keys) => {
    const person = typed(keys);
    person.onPrompt(false);
    expect(person.isTyping).toBe(true);
  },
);

test('a program of an agent reads what is typed while it runs, but not half a line', () => {
  const person = typed('yes\r', 'and\r');
  person.onPrompt(true);
  expect(person.isTyping).toBe(false);
  person.type('ahead');
  person.onPrompt(true);
  expect(person.isTyping).toBe(true);
});

test('an agent’s command takes its place', () => {
  const person = typed('one\rhalf');
  person.clear();
  expect(person.isTyping).toBe(false);
});
