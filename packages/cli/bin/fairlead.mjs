#!/usr/bin/env -S node --no-warnings --max-semi-space-size=2
// Plain JavaScript that Node 20 can read, started with options that every Node knows: the launcher finds the Node
// that the sources need.
import { readFileSync } from 'node:fs';
import { launch } from '@fairlead/sandbox/launcher';
import { nodeFlags } from './node-flags.mjs';

await launch({
  importMetaUrl: import.meta.url,
  name: 'fairlead',
  nodeFlags,
  async run() {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    const { main } = await import('../src/main.ts');
    process.exit(await main(process.argv.slice(2), process.env, version));
  },
});
