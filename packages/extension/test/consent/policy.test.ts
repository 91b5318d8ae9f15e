import { describe, expect, test } from 'vitest';
import { isCommandAllowed } from '../../src/consent/allowed-commands.ts';
import { refusalText } from '../../src/consent/consent.ts';
import { effectiveSetting, judge } from '../../src/consent/policy.ts';

describe('the setting that counts', () => {
  test('is the default where nobody said anything', () => {
    expect(effectiveSetting({ defaultValue: 'ask' })).toBe('ask');
  });

  test('is what the user chose, looser or stricter than the default', () => {
    expect(effectiveSetting({ defaultValue: 'ask', globalValue: 'allow' })).toBe('allow');
    expect(effectiveSetting({ defaultValue: 'allow', globalValue: 'deny' })).toBe('deny');
  });

  test('can be made stricter by a workspace or one of its folders', () => {
    expect(effectiveSetting({ defaultValue: 'allow', workspaceValue: 'ask' })).toBe('ask');
    expect(effectiveSetting({ defaultValue: 'ask', folderValues: [undefined, 'deny'] })).toBe('deny');
  });

  test('is never made looser by a workspace or one of its folders', () => {
    expect(effectiveSetting({ defaultValue: 'ask', workspaceValue: 'allow' })).toBe('ask');
    expect(effectiveSetting({ globalValue: 'deny', workspaceValue: 'ask', folderValues: ['allow'] })).toBe(
      'deny',
    );
  });

  test('asks where a value is none of the three', () => {
    expect(effectiveSetting({ defaultValue: 'allow', globalValue: 'never' })).toBe('ask');
    expect(effectiveSetting({ defaultValue: 'allow', globalValue: true })).toBe('ask');
  });
});

describe('before anybody is asked', () => {
  const trusted = { isTrusted: true, isGranted: false };

  test('a setting allows, asks or denies', () => {
    expect(judge({ capability: 'run', setting: 'allow', ...trusted }).kind).toBe('allow');
    expect(judge({ capability: 'run', setting: 'ask', ...trusted }).kind).toBe('ask');
    expect(judge({ capability: 'run', setting: 'deny', ...trusted })).toMatchObject({
      kind: 'deny',
      why: expect.stringContaining('"fairlead.consent.run"'),
    });
  });

  test('what the user allowed earlier is not asked again, but does not outdo a "deny"', () => {
    expect(judge({ capability: 'edit', setting: 'ask', isTrusted: true, isGranted: true }).kind).toBe(
      'allow',
    );
    expect(judge({ capability: 'edit', setting: 'deny', isTrusted: true, isGranted: true }).kind).toBe(
      'deny',
    );
  });

  test('a folder without trust can be read and nothing else, whatever was allowed', () => {
    const untrusted = { setting: 'allow', isTrusted: false, isGranted: true } as const;
    expect(judge({ capability: 'read', ...untrusted }).kind).toBe('allow');
    for (const capability of ['edit', 'run', 'interact', 'command', 'chat'] as const)
      expect(judge({ capability, ...untrusted })).toMatchObject({ kind: 'deny', isTrustMissing: true });
  });
});

describe('the list of VS Code commands', () => {
  test('allows nothing when it is empty', () => {
    expect(isCommandAllowed([], 'editor.action.formatDocument')).toBe(false);
  });

  test('takes names and patterns, and a pattern matches the whole name', () => {
    const patterns = ['editor.action.formatDocument', 'git.*'];
    expect(isCommandAllowed(patterns, 'editor.action.formatDocument')).toBe(true);
    expect(isCommandAllowed(patterns, 'editor.action.formatDocument.multiple')).toBe(false);
    expect(isCommandAllowed(patterns, 'git.stage')).toBe(true);
    expect(isCommandAllowed(patterns, 'gitXstage')).toBe(false);
    expect(isCommandAllowed(patterns, 'my.git.stage')).toBe(false);
  });

  test.each(['fairlead.approval.accept', 'Fairlead.connect', 'workbench.trust.manage', '_workbench.open'])(
    'never allows %s, with which an agent could help itself',
    (command) => {
      expect(isCommandAllowed(['*', command], command)).toBe(false);
    },
  );
});

describe('a refused agent', () => {
  test('reads the reason that the user gave', () => {
    expect(refusalText({ kind: 'rejected', reason: 'use pnpm' })).toContain('rejected this action: use pnpm');
  });

  test.each([
    { kind: 'rejected', reason: '' },
    { kind: 'denied', why: 'It is so.' },
    { kind: 'expired', seconds: 600 },
    { kind: 'cancelled' },
  ] as const)('reads that nothing was done when it was $kind', (refused) => {
    expect(refusalText(refused).toLowerCase()).toContain('nothing was done');
  });
});
