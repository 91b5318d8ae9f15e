import { createSessionRequest, type CreateSessionInput } from '@fairlead/protocol';
import { expect, test } from 'vitest';
import { newOwner } from '../../src/auth/owners.ts';
import { isPlain, newRecord } from '../../src/sessions/new-record.ts';

const defaults = {
  defaultDriver: 'local',
  defaultImage: 'debian:12',
  idleTimeoutSeconds: 60,
  maxAgeSeconds: null,
  defaultLimits: { pids: 500 },
} as const;
const owner = newOwner('me', 'tenant');
const record = (input: CreateSessionInput, changes: object = {}) =>
  newRecord(owner, createSessionRequest.parse(input), { ...defaults, ...changes });

test("a request that says nothing gets the gateway's defaults", () => {
  expect(record({})).toMatchObject({
    ownerId: owner.id,
    driver: 'local',
    image: null,
    state: 'starting',
    workspace: { kind: 'own' },
    idleTimeoutSeconds: 60,
    expiresAt: null,
    limits: { pids: 500 },
  });
});

test('a limit of the request stands beside the usual ones', () => {
  expect(record({ limits: { cpus: 2 } }).limits).toEqual({ pids: 500, cpus: 2 });
  expect(record({ limits: { pids: 100 } }).limits).toEqual({ pids: 100 });
});

test('what a request says stands above the defaults', () => {
  const { createdAt, expiresAt, ...rest } = record(
    { driver: 'docker', image: 'alpine', idleTimeoutSeconds: 5, maxAgeSeconds: 90 },
    { maxAgeSeconds: 3_600 },
  );
  expect(rest).toMatchObject({ driver: 'docker', image: 'alpine', idleTimeoutSeconds: 5 });
  expect(Date.parse(expiresAt!) - Date.parse(createdAt)).toBe(90_000);
});

test('images are for docker, which has a default', () => {
  expect(record({ driver: 'docker' }).image).toBe('debian:12');
  expect(() => record({ image: 'alpine' })).toThrow(
    'The driver "local" has no images; leave "image" out or use docker',
  );
});

test('a sandbox that was started in advance will do when nothing is asked for that it would have to begin with', () => {
  expect(isPlain(record({ labels: { a: 'b' }, idleTimeoutSeconds: 1 }), defaults)).toBe(true);
  expect(isPlain(record({ workspace: { kind: 'git', url: 'https://example.org/r.git' } }), defaults)).toBe(
    true,
  );
  expect(isPlain(record({ env: { A: '1' } }), defaults)).toBe(false);
  expect(isPlain(record({ limits: { pids: 100 } }), defaults)).toBe(false);
  expect(isPlain(record({ workspace: { kind: 'folder', path: '/srv' } }), defaults)).toBe(false);
});
