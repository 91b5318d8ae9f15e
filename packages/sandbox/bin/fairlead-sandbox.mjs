#!/usr/bin/env -S node --max-semi-space-size=4
// Plain JavaScript that Node 20 can read.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isBundleFresh } from './bundle-freshness.mjs';
import { launch } from './launcher.mjs';
import { nodeFlags } from './node-flags.mjs';

const packageDirectory = join(dirname(fileURLToPath(import.meta.url)), '..');

await launch({ importMetaUrl: import.meta.url, name: 'fairlead-sandbox', nodeFlags, run });

async function run() {
  const { version } = JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8'));
  const entry = isBundleFresh(packageDirectory) ? join('dist', 'main.cjs') : join('src', 'main.ts');
  const { main } = await import(pathToFileURL(join(packageDirectory, entry)).href);
  process.exit(await main(process.argv.slice(2), process.env, version));
}
