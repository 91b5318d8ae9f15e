import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AuditFile } from '../../src/activity/audit-file.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-audit-'));
});
afterEach(() => rm(directory, { recursive: true }));

test('keeps one record in a line, in order, without secrets, for the user alone', async () => {
  const audit = open('storage/audit.jsonl');
  audit.add({ type: 'action', subject: 'echo 1' });
  audit.add({ type: 'action', subject: 'TOKEN=abcdef ./run', nested: { text: 'sk-0123456789abcdef' } });
  await audit.flushed();
  const lines = (await readFile(audit.path, 'utf8')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { type: 'action', subject: 'echo 1' },
    { type: 'action', subject: 'TOKEN=[redacted] ./run', nested: { text: '[redacted]' } },
  ]);
  expect((await stat(audit.path)).mode & 0o777).toBe(0o600);
});

test('starts a new file before the old one is larger than 5 MB, and keeps one old one', async () => {
  const audit = open('audit.jsonl');
  await writeFile(audit.path, 'x'.repeat(5 * 1024 * 1024 - 10));
  audit.add({ number: 1 });
  audit.add({ number: 2, text: 'long enough' });
  await audit.flushed();
  expect((await stat(audit.olderPath)).size).toBe(5 * 1024 * 1024 - 10);
  expect(await readFile(audit.path, 'utf8')).toBe('{"number":1}\n{"number":2,"text":"long enough"}\n');
});

test('two windows write to the same file without losing a line', async () => {
  const windows = [open('audit.jsonl'), open('audit.jsonl')] as const;
  for (let number = 0; number < 50; number++) for (const audit of windows) audit.add({ number });
  await Promise.all(windows.map((audit) => audit.flushed()));
  const lines = (await readFile(windows[0].path, 'utf8')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toHaveLength(100);
});

test('tells when it cannot be written, and goes on', async () => {
  const errors: unknown[] = [];
  await writeFile(join(directory, 'file'), '');
  const audit = new AuditFile(join(directory, 'file', 'audit.jsonl'), (error) => errors.push(error));
  audit.add({ number: 1 });
  await audit.flushed();
  expect(errors).not.toEqual([]);
});

function open(name: string): AuditFile {
  return new AuditFile(join(directory, name), (error) => {
    throw error;
  });
}
