import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CommandOutput } from '../../src/shell/command-output.ts';
import { CommandRun } from '../../src/shell/command-run.ts';
import { runLine } from '../../src/shell/init-script.ts';
import { TakeUp } from '../../src/shell/take-up.ts';

const interruptKey = '\x03';

describe('a line that a shell has not begun', () => {
  const shell = { hasTaken: false, isInFront: true, isAtRest: true, isReplaced: false };
  let typed: string[];
  let run: CommandRun;

  beforeEach(() => {
    vi.useFakeTimers();
    Object.assign(shell, { hasTaken: false, isInFront: true, isAtRest: true, isReplaced: false });
    typed = [];
    run = new CommandRun({ n: 1, actionId: 'a', command: 'true' }, new CommandOutput({ cols: 80, rows: 24 }));
    const takeUp = new TakeUp({
      write: (data) => typed.push(data),
      hasTaken: () => shell.hasTaken,
      isInFront: () => shell.isInFront,
      isAtRest: () => shell.isAtRest,
      drop: () => undefined,
      replace: () => (shell.isReplaced = true),
    });
    takeUp.handOver(run);
  });

  afterEach(() => {
    run.output.dispose();
    vi.useRealTimers();
  });

  test('was lost when the shell rests: it is typed again behind a Ctrl-C, and then the shell is replaced', () => {
    vi.advanceTimersByTime(400);
    expect(typed).toEqual([runLine, interruptKey, runLine]);
    vi.advanceTimersByTime(10_000);
    expect(typed).toEqual([runLine, interruptKey, runLine, interruptKey, runLine]);
    expect(shell.isReplaced).toBe(true);
  });

  test('may have been read by a shell that is awake: no Ctrl-C hits what it is about to begin', () => {
    shell.isAtRest = false;
    vi.advanceTimersByTime(1_900);
    shell.hasTaken = true;
    vi.advanceTimersByTime(10_000);
    expect(typed).toEqual([runLine]);
  });

  test('is not waited for without end when the shell never rests', () => {
    shell.isAtRest = false;
    vi.advanceTimersByTime(10_000);
    expect(shell.isReplaced).toBe(true);
  });

  test('waits as long as something else has the terminal', () => {
    shell.isInFront = false;
    vi.advanceTimersByTime(60_000);
    expect(typed).toEqual([runLine]);
  });
});
