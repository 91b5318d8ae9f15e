import { expect, test } from 'vitest';
import { PersonAtShell } from '../../src/shell/person-at-shell.ts';

function typed(...keys: string[]): PersonAtShell {
  const person = new PersonAtShell();
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

test('lines that had no prompt of their own are read when the shell rests at its prompt, half a line is not', async () => {
  const person = typed('for i in 1 2\r', 'do echo $i\r', 'done\r');
  person.onPrompt(false);
  expect(person.isTyping).toBe(true);
  await new Promise<void>((rested) => person.onWaiting(() => true, rested));
  expect(person.isTyping).toBe(false);
  person.type('\r\rahead');
  person.onPrompt(false);
  await new Promise<void>((rested) => person.onWaiting(() => true, rested));
  expect(person.isTyping).toBe(true);
});

test('a screen is lent once, and taken back once', () => {
  const person = new PersonAtShell();
  const [own, screen] = [
    { cols: 80, rows: 24 },
    { cols: 91, rows: 33 },
  ];
  expect(person.lend(own, own)).toBe(false);
  expect(person.lend(screen, own)).toBe(true);
  expect(person.lend(screen, own)).toBe(false);
  expect(person.lend(own, own)).toBe(true);
  expect(person.takeSizeBack()).toBe(true);
  expect(person.takeSizeBack()).toBe(false);
});
