import { expect, test } from 'vitest';
import { HttpInstances } from '../../src/windows/http-instances.ts';

const told = {
  workspace_path: '/w',
  workspace_name: 'w',
  vscode_version: '1',
  extension_version: '1',
  capabilities: [],
};
const fiveMinutesMs = 300_000;

test('one that does not send heartbeats is gone after five minutes', () => {
  const instances = new HttpInstances();
  const quiet = instances.register('ann', told, 0);
  const lively = instances.register('ann', told, 0);
  expect(instances.beat('ann', lively.id, fiveMinutesMs)).toBe(true);
  expect(instances.list('ann', fiveMinutesMs)).toHaveLength(2);
  expect(instances.list('ann', fiveMinutesMs + 1)).toEqual([lively]);
  expect(instances.beat('ann', quiet.id, fiveMinutesMs + 1)).toBe(false);
});

test("one of another owner's does not exist", () => {
  const instances = new HttpInstances();
  const { id } = instances.register('ann', told);
  expect(instances.find('bob', id)).toBeUndefined();
  expect(instances.beat('bob', id)).toBe(false);
  expect(instances.remove('bob', id)).toBe(false);
  expect(instances.remove('ann', id)).toBe(true);
  expect(instances.list('ann')).toEqual([]);
});

test('an owner registers a bounded number', () => {
  const instances = new HttpInstances();
  for (let count = 0; count < 100; count += 1) instances.register('ann', told);
  expect(() => instances.register('ann', told)).toThrow('unregister some');
  expect(instances.register('bob', told).ownerId).toBe('bob');
});
