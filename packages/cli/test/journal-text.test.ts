import { errorObservation, runObservation, writeObservation } from '@fairlead/protocol';
import { describe, expect, it } from 'vitest';
import { JournalText } from '../src/journal-text.ts';
import { Output } from '../src/output.ts';
import { testCli } from './support/test-cli.ts';

describe('a journal for people', () => {
  const text = () => new JournalText(new Output(testCli(), {}));
  const at = (second: number) => new Date(2030, 0, 1, 12, 30, second).toISOString();
  const action = (seq: number, event: Record<string, unknown>, shell = 'main') =>
    ({ type: 'action', seq, time: at(seq), actionId: 'a', shell, event }) as const;
  const observation = (seq: number, event: Record<string, unknown>) =>
    ({ type: 'observation', seq, time: at(seq), actionId: 'a', event }) as const;

  it('has commands with their output, exit code and duration', () => {
    const lines = text();
    expect(lines.format(action(1, { action: 'run', args: { command: 'make' } }))).toBe(
      '    1  12:30:01  $ make',
    );
    expect(lines.format(observation(3, runObservation('make', 'one\ntwo', { exit_code: 2 })))).toBe(
      '    3  12:30:03  exit 2, 2.00 s\n       one\n       two',
    );
  });

  it('has other actions, other shells, errors, time-outs and changes of state', () => {
    const lines = text();
    const edit = { action: 'edit', args: { command: 'str_replace', path: '/workspace/a' } };
    expect(lines.format(action(1, edit, 'build'))).toContain('[build] edit str_replace /workspace/a');
    expect(lines.format(observation(2, writeObservation('/workspace/a')))).toContain('done, 1.00 s');
    expect(lines.format(observation(3, errorObservation('File not found')))).toMatch(
      /error\n {7}File not found$/,
    );
    const suffix = '\n[The command timed out after 2.0 seconds. You may wait longer]';
    expect(lines.format(observation(4, runObservation('x', '', { suffix })))).toContain(
      'The command timed out after 2.0 seconds',
    );
    expect(
      lines.format({ type: 'state', seq: 5, time: at(5), state: 'stopped', reason: 'idle for 30 minutes' }),
    ).toContain('session stopped: idle for 30 minutes');
  });

  it('does not let an agent work on the terminal of its reader', () => {
    const event = { action: 'run', args: { command: 'echo \x1b]0;x\x07\x9b2J' } };
    expect(text().format(action(1, event))).toBe('    1  12:30:01  $ echo ^[]0;x^G^?2J');
  });
});
