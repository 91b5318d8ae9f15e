import { expect, test } from 'vitest';
import { EndedSessions } from '../../src/connection/ended-sessions.ts';
import { keptInMemory } from '../support/kept-in-memory.ts';

test('a session stays ended for its gateway alone, also after a reload, until that has heard of it', () => {
  const store = keptInMemory();
  new EndedSessions(store).add('http://a', ['s1', 's2'], 'the user ended it');
  const after = new EndedSessions(store);
  expect(after.find('http://a', 's1')?.reason).toBe('the user ended it');
  expect(after.find('http://b', 's1')).toBeUndefined();
  after.remove('http://a', ['s1']);
  expect(new EndedSessions(store).of('http://a').map(({ sessionId }) => sessionId)).toEqual(['s2']);
});

test('what is kept has limits, and the reason fits into a message', () => {
  const store = keptInMemory();
  const ended = new EndedSessions(store);
  for (let session = 0; session < 300; session += 1) ended.add('http://a', [`s${session}`], 'x'.repeat(5000));
  expect(store.get()).toHaveLength(200);
  expect((store.get() as unknown[]).at(-1)).toMatchObject({ sessionId: 's299', reason: 'x'.repeat(1024) });
});
