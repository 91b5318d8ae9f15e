import { expect, test } from 'vitest';
import { Grants } from '../../src/consent/grants.ts';
import { keptInMemory } from '../support/kept-in-memory.ts';

const codex = { sessionId: 's1', name: 'codex', owner: 'ann' };
const other = { sessionId: 's2', name: 'other', owner: 'ann' };

test('a grant for a session covers that session and that capability only', () => {
  const grants = new Grants(keptInMemory());
  grants.add('run', 'session', codex);
  expect(grants.covers('run', 's1')).toBe(true);
  expect(grants.covers('edit', 's1')).toBe(false);
  expect(grants.covers('run', 's2')).toBe(false);
});

test('a grant for the workspace covers every agent', () => {
  const grants = new Grants(keptInMemory());
  grants.add('edit', 'workspace', codex);
  expect(grants.covers('edit', 's2')).toBe(true);
  expect(grants.covers('run', 's2')).toBe(false);
});

test('both are still there after a reload, and the same one is kept once', () => {
  const store = keptInMemory();
  const before = new Grants(store);
  before.add('run', 'session', codex);
  before.add('run', 'session', codex);
  before.add('edit', 'workspace', codex);
  const after = new Grants(store);
  expect(after.list()).toHaveLength(2);
  expect(after.covers('run', 's1')).toBe(true);
  expect(after.covers('edit', 's2')).toBe(true);
});

test('the end of a session ends its grants, and only its own', () => {
  const grants = new Grants(keptInMemory());
  grants.add('run', 'session', codex);
  grants.add('run', 'session', other);
  grants.add('edit', 'workspace', codex);
  grants.endSession('s1');
  expect(grants.covers('run', 's1')).toBe(false);
  expect(grants.covers('run', 's2')).toBe(true);
  expect(grants.covers('edit', 's1')).toBe(true);
});

test('the user takes back what was allowed, for good', () => {
  const store = keptInMemory();
  const grants = new Grants(store);
  grants.add('run', 'session', codex);
  grants.add('run', 'workspace', codex);
  grants.revoke(grants.list().filter(({ reach }) => reach === 'workspace'));
  expect(new Grants(store).list()).toEqual([
    { reach: 'session', capability: 'run', sessionId: 's1', agentName: 'codex' },
  ]);
});

test('what cannot be understood in the store allows nothing', () => {
  expect(new Grants({ get: () => [{ reach: 'galaxy' }], set: () => undefined }).list()).toEqual([]);
  expect(new Grants({ get: () => undefined, set: () => undefined }).list()).toEqual([]);
});
