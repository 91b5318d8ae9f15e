import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { removeTree } from '../../src/drivers/remove-tree.ts';

function makePlace(): { place: string; tree: string } {
  const place = mkdtempSync(join(tmpdir(), 'remove-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  return { place, tree: join(place, '-tree') };
}

test('removes a file, an empty directory, a link without what it points at, and nothing', async () => {
  const { place, tree } = makePlace();
  writeFileSync(tree, '');
  await removeTree(tree);
  mkdirSync(tree);
  await removeTree(tree);
  mkdirSync(join(place, 'other'));
  writeFileSync(join(place, 'other', 'kept'), 'kept');
  symlinkSync(join(place, 'other'), tree);
  await removeTree(tree);
  expect(existsSync(tree)).toBe(false);
  mkdirSync(tree);
  symlinkSync(join(place, 'other'), join(tree, 'link'));
  await removeTree(tree);
  await removeTree(tree);
  expect(existsSync(tree)).toBe(false);
  expect(readFileSync(join(place, 'other', 'kept'), 'utf8')).toBe('kept');
});

test('removes directories that are closed to their owner', async () => {
  const { tree } = makePlace();
  mkdirSync(join(tree, 'closed', 'inner'), { recursive: true });
  chmodSync(join(tree, 'closed'), 0o000);
  await removeTree(tree);
  expect(existsSync(tree)).toBe(false);
});

test('does other things while it removes many files, deeper than a path can say', async () => {
  const { tree } = makePlace();
  mkdirSync(tree);
  const name = 'd'.repeat(200);
  const make = `for i in {1..30}; do mkdir ${name} && cd ${name}; done; mkdir many; for i in {1..5000}; do : >many/$i; done`;
  execFileSync('bash', ['-c', make], { cwd: tree });
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  await removeTree(tree);
  clearInterval(timer);
  expect(existsSync(tree)).toBe(false);
  expect(turns).toBeGreaterThan(0);
});
