import { describe, expect, test } from 'vitest';
import type { ApprovalRequest } from '../../src/consent/approval.ts';
import type { RunRequest } from '../../src/consent/consent.ts';
import { notificationText } from '../../src/consent/notification-text.ts';

describe('a notification tells', () => {
  test.each<[string, Partial<RunRequest>, string]>([
    ['a command', { command: 'npm test' }, 'run npm test'],
    ['where a command runs', { command: 'npm test', cwd: '/srv/app' }, 'run in /srv/app: npm test'],
    ['what is typed into a command', { command: 'yes', isInput: true }, 'type into the running command: yes'],
    ['that a shell is opened', { command: ' ' }, 'open a shell'],
  ])('%s', (_name, request, wish) => {
    expect(told(command(request))).toMatch(`Ada wants to ${wish} — `);
    expect(choices(command(request))).toEqual(['accept', 'edit', 'always', 'reject']);
  });
});

describe('a notification offers no consent to what it does not show whole', () => {
  test.each<[string, ApprovalRequest]>([
    ['a long command', command({ command: 'x'.repeat(201) })],
    ['a command of many lines', command({ command: 'a\nb\nc\nd' })],
    ['a directory with a long name', command({ command: 'ls', cwd: `/${'x'.repeat(201)}` })],
    ['a file with a long name', edit(`${'x'.repeat(201)}.ts`)],
    ['a long request', ask('x'.repeat(201), '')],
    ['a request with details', ask('rename a symbol', 'a.ts (2)')],
  ])('%s', (_name, request) => {
    expect(choices(request)).toEqual(['review', 'reject']);
  });
});

test('an edit, which has its diff beside it, and a short request can be accepted', () => {
  expect(choices(edit('a.ts'))).toEqual(['accept', 'review', 'always', 'reject']);
  expect(choices(ask('open a.ts', ''))).toEqual(['accept', 'always', 'reject']);
});

function command(request: Partial<RunRequest>): ApprovalRequest {
  return { kind: 'run', command: '', shell: 'main', isInput: false, cwd: undefined, ...request };
}

function edit(path: string): ApprovalRequest {
  return { kind: 'edit', uri: `file:///${path}`, path, before: 'one', after: 'two' };
}

function ask(title: string, detail: string): ApprovalRequest {
  return { kind: 'ask', capability: 'interact', title, detail };
}

function told(request: ApprovalRequest): string {
  const agent = { sessionId: 's1', name: 'Ada', owner: 'ann' };
  return notificationText({ id: 'one', agent, actionId: 'a1', request, since: new Date(), seconds: 60 });
}

function choices(request: ApprovalRequest): (string | undefined)[] {
  return [...told(request).matchAll(/\(command:fairlead\.approval\.(\w+)/g)].map(([, name]) => name);
}
