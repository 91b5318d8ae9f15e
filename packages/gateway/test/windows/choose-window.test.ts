import type { WindowFacts } from '@fairlead/protocol';
import { expect, test } from 'vitest';
import { chooseWindow } from '../../src/windows/choose-window.ts';
import { factsOf } from './support/facts.ts';

const [home, project, part] = [
  factsOf({ windowId: 'home', folders: ['/home/me'] }),
  factsOf({ windowId: 'project', folders: ['/home/me/project', '/srv/shared'] }),
  factsOf({ windowId: 'part', folders: ['/home/me/project/part/'] }),
] as const;
const all = [home, project, part];

test('the only window is the one', () => {
  expect(chooseWindow([project], {})).toEqual({ windowId: 'project', windowFolder: null });
});

test.each([
  ['/home/me', 'home'],
  ['/home/me/other', 'home'],
  ['/home/me/project', 'project'],
  ['/home/me/project-two', 'home'],
  ['/home/me/project/src/deep', 'project'],
  ['/home/me/project/part', 'part'],
  ['/home/me/project/part/x', 'part'],
  ['/srv/shared/x', 'project'],
])('%s is in the window that has the longest folder of it', (folder, windowId) => {
  expect(chooseWindow(all, { folder })).toEqual({ windowId, windowFolder: folder });
});

test('what is no path is the name of a folder, or of the workspace', () => {
  expect(chooseWindow(all, { folder: 'shared' })).toEqual({
    windowId: 'project',
    windowFolder: '/srv/shared',
  });
  const named = factsOf({ windowId: 'named', name: 'My Work', folders: ['/a', '/b'] });
  expect(chooseWindow([home, named], { folder: 'My Work' })).toEqual({
    windowId: 'named',
    windowFolder: null,
  });
});

test('folders of Windows machines are found as well', () => {
  const windows = factsOf({ windowId: 'win', folders: ['c:\\work\\app'] });
  expect(chooseWindow([home, windows], { folder: 'c:\\work\\app\\src' }).windowId).toBe('win');
  expect(chooseWindow([home, windows], { folder: 'C:/Work/App/src' }).windowId).toBe('win');
  expect(() => chooseWindow([home, windows], { folder: 'c:\\work\\application' })).toThrow('No window');
});

test.each<[string, WindowFacts[], Parameters<typeof chooseWindow>[1], string, string[]]>([
  ['none at all', [], {}, 'wrong-state', ['No VS Code window is connected', 'fairlead window pair']],
  ['several', all, {}, 'bad-request', ['3 windows fit', '"me" (/home/me) home', 'part']],
  ['an id that is unknown', all, { id: 'x' }, 'bad-request', ['No window x', '"me" (/home/me) home']],
  ['a folder that is not open', all, { folder: '/etc' }, 'bad-request', ['has /etc open', 'Connected: ']],
  [
    'a folder that is open twice',
    [home, { ...home, windowId: 'twin' }],
    { folder: '/home/me' },
    'bad-request',
    ['2 windows fit', 'twin'],
  ],
])('%s is refused with what there is', (_what, windows, choice, code, texts) => {
  let refusal: Error | undefined;
  try {
    chooseWindow(windows, choice);
  } catch (error) {
    refusal = error as Error;
  }
  expect(refusal).toMatchObject({ code });
  for (const text of texts) expect(refusal?.message).toContain(text);
});

test('an id and a folder together mean that window, in that folder', () => {
  expect(chooseWindow(all, { id: 'home', folder: '/home/me/project' }).windowId).toBe('home');
});
