import type { OpenSession } from '@fairlead/protocol';
import { expect, test, vi } from 'vitest';
import type { AgentSession } from '../../src/sessions/agent-session.ts';
import { WindowSessions } from '../../src/sessions/window-sessions.ts';

test('a session is suspended at once, before anything else can happen', async () => {
  const { sessions, log } = open();
  await sessions.open(message);
  const suspended = sessions.suspendAll();
  expect(log).toEqual(['suspend']);
  await suspended;
  expect(log.at(-1)).toBe('close 0');
  expect(sessions.ids()).toEqual([]);
});

test('one that is still being opened is suspended before it is closed, not cancelled', async () => {
  const { sessions, log, ended } = open();
  const opening = sessions.open(message);
  await sessions.suspendAll();
  await opening;
  expect(log).toEqual(['suspend', 'close 0']);
  expect(ended).not.toHaveBeenCalled();
  expect(sessions.agents()).toEqual([]);
});

test('closing one is its end, and does not suspend it', async () => {
  const { sessions, log, ended } = open();
  await sessions.open(message);
  await sessions.close(message.sessionId);
  expect(log).toEqual([expect.stringMatching(/^close [1-9]/)]);
  expect(ended).toHaveBeenCalledExactlyOnceWith(message.sessionId);
});

const message: OpenSession = {
  sessionId: 'aaaaaaaaaaaaaaaaaaaa',
  agent: 'Ada',
  owner: 'operator',
  folder: null,
  env: {},
  createdAt: new Date().toISOString(),
};

function open() {
  const log: string[] = [];
  const ended = vi.fn();
  const session: AgentSession = {
    agent: { sessionId: message.sessionId, name: 'Ada', owner: 'operator' },
    folder: '/',
    accept: () => undefined,
    suspend: () => void log.push('suspend'),
    close: async (drainTimeoutMs) => void log.push(`close ${drainTimeoutMs}`),
  };
  const sessions = new WindowSessions(async () => session, { changed: () => undefined, ended });
  return { sessions, log, ended };
}
