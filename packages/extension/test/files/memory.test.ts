import type { EditorDiagnostic } from '@fairlead/protocol';
import { describe, expect, it } from 'vitest';
import { withinDeadline } from '../../src/files/deadline.ts';
import { problemsDelta } from '../../src/files/diagnostics-delta.ts';
import { OwnChanges } from '../../src/files/own-changes.ts';
import { SeenTexts } from '../../src/files/seen-texts.ts';

describe('the unsaved texts that an agent has seen', () => {
  it('are its own, and only the newest of each file', () => {
    const seen = new SeenTexts();
    seen.add('ada', 'file:///a', Buffer.from('one'));
    expect(seen.has('ada', 'file:///a', Buffer.from('one'))).toBe(true);
    expect(seen.has('bob', 'file:///a', Buffer.from('one'))).toBe(false);
    expect(seen.has('ada', 'file:///b', Buffer.from('one'))).toBe(false);
    seen.add('ada', 'file:///a', Buffer.from('two'));
    expect(seen.has('ada', 'file:///a', Buffer.from('one'))).toBe(false);
  });

  it('are forgotten with it, and the oldest when there are very many', () => {
    const seen = new SeenTexts();
    for (let index = 0; index <= 200; index++) seen.add('ada', `file:///${index}`, Buffer.from('text'));
    expect(seen.has('ada', 'file:///0', Buffer.from('text'))).toBe(false);
    expect(seen.has('ada', 'file:///1', Buffer.from('text'))).toBe(true);
    seen.forget('ada');
    expect(seen.has('ada', 'file:///1', Buffer.from('text'))).toBe(false);
  });
});

describe('whose change it is', () => {
  it('is the agent that works on the file, for as long as it does', async () => {
    const own = new OwnChanges();
    const first = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    const works = [
      own.by('ada', ['file:///a'], () => first.promise),
      own.by('ada', ['file:///a'], () => second.promise),
    ];
    expect(own.isBy('ada', 'file:///a')).toBe(true);
    expect(own.isBy('bob', 'file:///a')).toBe(false);
    expect(own.isBy('ada', 'file:///b')).toBe(false);
    first.resolve();
    await works[0];
    expect(own.isBy('ada', 'file:///a')).toBe(true);
    second.reject(new Error('refused'));
    await expect(works[1]).rejects.toThrow('refused');
    expect(own.isBy('ada', 'file:///a')).toBe(false);
  });
});

describe('the problems that an edit changed', () => {
  const problem = (message: string, line: number): EditorDiagnostic => ({
    path: '/ws/a.ts',
    uri: 'file:///ws/a.ts',
    severity: 'error',
    message,
    source: 'ts',
    code: 2304,
    range: { start: { line, character: 0 }, end: { line, character: 3 } },
  });

  it('are those that came and those that went', () => {
    const { added, removed } = problemsDelta(
      [problem('old', 1), problem('kept', 2)],
      [problem('kept', 5), problem('new', 6)],
    );
    expect(added).toEqual([problem('new', 6)]);
    expect(removed).toEqual([problem('old', 1)]);
  });

  it('are counted when they have the same text', () => {
    const { added, removed } = problemsDelta([problem('same', 1)], [problem('same', 1), problem('same', 9)]);
    expect([added.length, removed.length]).toEqual([1, 0]);
  });
});

describe('work with a deadline', () => {
  const never = new Promise<string>(() => undefined);
  const later = () => performance.now() + 60_000;

  it('gives what comes of it in time', async () => {
    const { signal } = new AbortController();
    expect(await withinDeadline(Promise.resolve('done'), { deadlineMs: later(), signal })).toBe('done');
  });

  it('gives nothing when the time is over or it is cancelled', async () => {
    const { signal } = new AbortController();
    expect(await withinDeadline(never, { deadlineMs: performance.now() + 5, signal })).toBeUndefined();
    const abort = new AbortController();
    const cancelled = withinDeadline(never, { deadlineMs: later(), signal: abort.signal });
    abort.abort();
    expect(await cancelled).toBeUndefined();
    expect(await withinDeadline(never, { deadlineMs: later(), signal: AbortSignal.abort() })).toBeUndefined();
  });
});
