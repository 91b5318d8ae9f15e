import type { EditorState } from '@fairlead/protocol';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EditorVisits } from '../../src/web/editor-visits.ts';
import type { SessionPlaces } from '../../src/web/session-places.ts';

const state = { state: 'running' } as EditorState;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

function visitsOf(visitEditor: SessionPlaces['visitEditor']): EditorVisits {
  return new EditorVisits({ visitEditor } as SessionPlaces);
}

test('an editor that somebody is connected to is spoken of once a minute', () => {
  const visitEditor = vi.fn<SessionPlaces['visitEditor']>().mockResolvedValue(state);
  const editors = visitsOf(visitEditor);
  editors.keep('one');
  editors.keep('other');
  for (let seconds = 0; seconds < 59; seconds += 3) {
    editors.keep('one');
    vi.advanceTimersByTime(3_000);
  }
  expect(visitEditor.mock.calls).toEqual([['one'], ['other']]);
});

test('one that was spoken of a minute ago is spoken of again', async () => {
  const visitEditor = vi.fn<SessionPlaces['visitEditor']>().mockResolvedValue(state);
  const editors = visitsOf(visitEditor);
  await editors.visit('one');
  vi.advanceTimersByTime(60_000);
  editors.keep('one');
  expect(visitEditor).toHaveBeenCalledTimes(2);
});

test('those who come at the same time ask once, and a failure is not kept', async () => {
  let fail: (error: Error) => void = () => undefined;
  const visitEditor = vi
    .fn<SessionPlaces['visitEditor']>()
    .mockImplementationOnce(() => new Promise((_resolve, reject) => (fail = reject)))
    .mockResolvedValue(state);
  const editors = visitsOf(visitEditor);
  const both = Promise.allSettled([editors.visit('one'), editors.visit('one')]);
  fail(new Error('not now'));
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await editors.visit('one')).toBe(state);
  expect(visitEditor).toHaveBeenCalledTimes(2);
});
