import type { Observation } from '@fairlead/protocol';
import { expect, test } from 'vitest';
import { ActivityLog } from '../../src/activity/activity-log.ts';
import { entryText } from '../../src/activity/entry-text.ts';
import { commandScope } from '../support/action-scope.ts';

test('shows agents by their latest action, and their actions newest first', () => {
  const log = new ActivityLog();
  begin(log, 's1', 'a1', 'echo 1');
  begin(log, 's2', 'a2', 'echo 2');
  begin(log, 's1', 'a3', 'echo 3');
  expect(log.agents().map(({ sessionId }) => sessionId)).toEqual(['s1', 's2']);
  expect(log.actionsOf('s1').map(({ label }) => label)).toEqual(['run echo 3', 'run echo 1']);
});

test('an action runs, waits, runs and ends as done or failed', () => {
  const log = new ActivityLog();
  const entry = begin(log, 's1', 'a1', 'false');
  expect(entry.state).toBe('running');
  log.setWaiting('a1', true);
  expect(entry.state).toBe('waiting');
  log.setWaiting('a1', false);
  expect(entry.state).toBe('running');
  log.end(entry, ran('', 1), 1234);
  expect(entry.state).toBe('failed');
  log.setWaiting('a1', true);
  expect(entry.state).toBe('failed');
  const other = begin(log, 's1', 'a2', 'true');
  log.end(other, ran('fine', 0), 5);
  expect(other.state).toBe('done');
});

test('the text of an action has who, what, how long, and the observation', () => {
  const log = new ActivityLog();
  const entry = begin(log, 's1', 'a1', 'echo one\necho two');
  expect(entryText(entry)).toContain('no observation yet');
  log.end(entry, ran('one\ntwo', 0), 1234);
  const text = entryText(entry);
  for (const part of ['agent-s1', 'echo one\necho two', '1.2 s', 'one\ntwo']) expect(text).toContain(part);
});

test('memory does not grow with the number of actions, nor with the size of what they say', () => {
  const log = new ActivityLog();
  for (let number = 0; number < 700; number++) begin(log, 's1', `a${number}`, 'echo');
  expect(log.actionsOf('s1')).toHaveLength(500);
  expect(log.find('a0')).toBeUndefined();
  const entry = begin(log, 's1', 'large', 'x'.repeat(100_000));
  log.end(entry, ran('y'.repeat(1_000_000), 0), 1);
  expect(entry.content?.length).toBeLessThan(33_000);
  expect(entry.content).toContain('967232 more characters');
  expect(entry.subject.length).toBeLessThan(33_000);
});

test('clearing keeps what is not over', () => {
  const log = new ActivityLog();
  log.end(begin(log, 's1', 'a1', 'true'), ran('', 0), 1);
  begin(log, 's1', 'a2', 'sleep 9');
  log.clear();
  expect(log.actionsOf('s1').map(({ actionId }) => actionId)).toEqual(['a2']);
});

function begin(log: ActivityLog, sessionId: string, actionId: string, command: string) {
  const agent = { sessionId, name: `agent-${sessionId}`, owner: 'ann' };
  return log.begin(commandScope(command, { agent, actionId }));
}

function ran(content: string, exitCode: number): Observation {
  const metadata = {
    exit_code: exitCode,
    pid: -1,
    username: null,
    hostname: null,
    working_dir: null,
    py_interpreter_path: null,
    prefix: '',
    suffix: '',
  };
  return {
    observation: 'run',
    content,
    message: '',
    extras: { command: '', metadata, hidden: false },
    success: exitCode === 0,
  };
}
