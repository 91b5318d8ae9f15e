import { defineConfig } from 'vitest/config';
import { machineNeeds, missingNeeds } from './scripts/machine-needs.mjs';
import { EditorSuitesLast } from './tests/support/editor-suites.ts';

const missing = new Set(missingNeeds());

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', 'tests/**/*.test.ts'],
    environment: 'node',
    globalSetup: [
      'tests/support/docker-setup.ts',
      'tests/support/code-server-setup.ts',
      'tests/support/extension-setup.ts',
    ],
    sequence: { sequencer: EditorSuitesLast },
    pool: 'forks',
    // node:sqlite says so in every process.
    execArgv: ['--disable-warning=ExperimentalWarning'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // What is waited for comes when the machine gets to it: the limit is for what never comes.
    expect: { poll: { timeout: 10_000 } },
    // Corpus cases wait more than they work, but each has a shell of its own.
    maxConcurrency: 8,
    reporters: ['default', './scripts/closing-line-reporter.mjs'],
    tags: machineNeeds.map((need) => ({
      name: need.name,
      description: `needs ${need.name}: ${need.suites}`,
      // Not `false` otherwise: a suite with several tags is skipped when one of them is missing.
      ...(missing.has(need) && { skip: true }),
    })),
  },
});
