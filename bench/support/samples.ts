interface Source {
  /** How many samples are taken in a row before it is another's turn. */
  inARow: number;
  take(): Promise<number>;
}

/**
 * Takes samples in turns, so that whatever else the machine does meets all sources alike. The first rounds warm
 * up and do not count.
 */
export async function takeInTurns<Name extends string>(
  sources: Record<Name, Source>,
  { rounds, warmUpRounds }: { rounds: number; warmUpRounds: number },
): Promise<Record<Name, number[]>> {
  const names = Object.keys(sources) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    for (const name of names) {
      const { inARow, take } = sources[name];
      for (let count = 0; count < inARow; count += 1) {
        const sample = await take();
        if (round >= 0) samples[name].push(sample);
      }
    }
  }
  return samples;
}

export async function timeMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

export function median(samples: number[]): number {
  if (samples.length === 0) throw new Error('There are no samples to take a median of');
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
