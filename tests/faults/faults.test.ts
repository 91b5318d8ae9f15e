import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { runFaults } from './support/fault-run.ts';
import { faultKinds } from './support/victims.ts';

const count = 12;

describe('what is killed at any moment', { tags: ['bwrap'] }, () => {
  it('loses no answered action, runs none twice, and leaves no session without a way on', async () => {
    const seed = randomInt(2 ** 31);
    const report = await runFaults({
      seed,
      faults: count,
      drivers: ['local', 'local'],
      clientsPerSession: 3,
    });
    expect(report.complaints, `seed ${seed}`).toEqual([]);
    expect(report.faults).toHaveLength(count);
    for (const kind of faultKinds) {
      const hits = report.inFlight.filter((fault) => fault.kind === kind);
      expect(hits.length, `${kind}s hit while an action was on its way, seed ${seed}`).toBeGreaterThan(0);
    }
    expect(report.outcomes.done).toBeGreaterThan(0);
  }, 300_000);
});
