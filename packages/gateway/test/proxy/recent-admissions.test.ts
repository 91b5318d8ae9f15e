import { expect, it } from 'vitest';
import { RecentAdmissions } from '../../src/proxy/recent-admissions.ts';

it('asks once in a second for each session and each proof', async () => {
  let nowMs = 0;
  const asked: string[] = [];
  const admissions = new RecentAdmissions<string>(() => nowMs);
  const visit = (session: string, cookie: string, key?: string) =>
    admissions.admit(session, { cookie, ...(key !== undefined && { 'x-api-key': key }) }, async () => {
      asked.push(`${session} ${cookie} ${key ?? ''}`.trim());
      return `${asked.length}`;
    });
  for (let count = 0; count < 3; count += 1) expect(await visit('s1', 'a')).toBe('1');
  expect(await visit('s2', 'a')).toBe('2');
  expect(await visit('s1', 'b')).toBe('3');
  expect(await visit('s1', 'a', 'k')).toBe('4');
  nowMs = 999;
  expect(await visit('s1', 'a')).toBe('1');
  nowMs = 1000;
  expect(await visit('s1', 'a')).toBe('5');
  admissions.clear();
  expect(await visit('s1', 'a')).toBe('6');
  expect(asked).toEqual(['s1 a', 's2 a', 's1 b', 's1 a k', 's1 a', 's1 a']);
});

it('asks again for whoever was refused', async () => {
  const admissions = new RecentAdmissions<string>();
  const refuse = () => admissions.admit('s', {}, () => Promise.reject(new Error('no')));
  await expect(refuse()).rejects.toThrow('no');
  await expect(refuse()).rejects.toThrow('no');
  expect(await admissions.admit('s', {}, async () => 'now')).toBe('now');
});
