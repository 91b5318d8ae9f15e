import type { Client } from '@fairlead/client';
import { describe, expect, it } from 'vitest';
import { findSession } from '../src/find-session.ts';

const clientOf = (sessions: { id: string; labels?: Record<string, string> }[]) =>
  ({
    sessions: { list: () => Promise.resolve(sessions.map((session) => ({ labels: {}, ...session }))) },
  }) as unknown as Client;

const first = 'sabcaaaaaaaaaaaaaaaa';
const second = 'sabcbbbbbbbbbbbbbbbb';
const named = { id: 'szzzaaaaaaaaaaaaaaaa', labels: { name: 'sabc' } };

describe('a session', () => {
  it('is found by its whole id without asking', async () => {
    const client = { sessions: { list: () => Promise.reject(new Error('asked')) } } as unknown as Client;
    expect(await findSession(client, first)).toBe(first);
  });

  it('is found by the beginning of its id', async () => {
    expect(await findSession(clientOf([{ id: first }, { id: second }]), 'sabca')).toBe(first);
  });

  it('is found by its name before the beginning of an id', async () => {
    expect(await findSession(clientOf([{ id: first }, { id: second }, named]), 'sabc')).toBe(named.id);
  });

  it('is not guessed', async () => {
    const failure = findSession(clientOf([{ id: first }, { id: second }]), 'sabc');
    await expect(failure).rejects.toMatchObject({
      exitCode: 4,
      message: `"sabc" stands for 2 sessions: ${first}, ${second}. Give more of the id.`,
    });
  });

  it('that does not exist is told with those that do', async () => {
    await expect(findSession(clientOf([named]), 'x')).rejects.toThrow(`You have: ${named.id} (sabc).`);
    await expect(findSession(clientOf([]), '')).rejects.toThrow('"fairlead session create" makes one');
  });
});
