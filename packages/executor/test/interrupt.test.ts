import { afterEach, expect, test, vi } from 'vitest';
import { CommandOutput } from '../src/shell/command-output.ts';
import { CommandRun } from '../src/shell/command-run.ts';
import { interrupt } from '../src/shell/interrupt.ts';
import type { Shell } from '../src/shell/shell.ts';

afterEach(() => vi.restoreAllMocks());

test.each([-1, 0, 1])(
  'a shell with the process id %i is not killed: that would be everybody',
  async (pid) => {
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    const run = new CommandRun(
      { n: 1, actionId: 'a', command: 'sleep 1' },
      new CommandOutput({ cols: 80, rows: 24 }),
    );
    await interrupt({ write() {}, pid } as unknown as Shell, run);
    expect(kill).not.toHaveBeenCalled();
  },
);
