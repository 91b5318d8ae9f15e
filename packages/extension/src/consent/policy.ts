import type { Capability } from './consent.ts';

export const consentSettings = ['allow', 'ask', 'deny'] as const;
export type ConsentSetting = (typeof consentSettings)[number];

export type Verdict =
  { kind: 'allow' } | { kind: 'ask' } | { kind: 'deny'; why: string; isTrustMissing: boolean };

/** What holds for one capability before anybody is asked. */
export function judge(facts: {
  capability: Capability;
  setting: ConsentSetting;
  isTrusted: boolean;
  isGranted: boolean;
}): Verdict {
  const { capability, setting, isTrusted, isGranted } = facts;
  if (!isTrusted && capability !== 'read')
    return {
      kind: 'deny',
      why: 'The user has not declared this folder as trusted in VS Code: until then an agent may only read in it.',
      isTrustMissing: true,
    };
  if (setting === 'deny')
    return {
      kind: 'deny',
      why: `The setting "fairlead.consent.${capability}" of this VS Code window is "deny".`,
      isTrustMissing: false,
    };
  return { kind: setting === 'allow' || isGranted ? 'allow' : 'ask' };
}

/** What a configuration holds at its levels, as VS Code's `inspect` tells it. */
export interface SettingLevels {
  defaultValue?: unknown;
  globalValue?: unknown;
  workspaceValue?: unknown;
  /** One for each folder that says something. */
  folderValues?: readonly unknown[];
}

/** The user's word, made stricter by the workspace's where that has one: a workspace never loosens. */
export function effectiveSetting(levels: SettingLevels): ConsentSetting {
  const { defaultValue, globalValue, workspaceValue, folderValues = [] } = levels;
  const said = [globalValue ?? defaultValue, workspaceValue, ...folderValues].filter(
    (value) => value !== undefined,
  );
  return said.map(understood).reduce(stricter, 'allow');
}

/** A value that nobody knows must not open anything. */
function understood(value: unknown): ConsentSetting {
  return consentSettings.find((setting) => setting === value) ?? 'ask';
}

function stricter(one: ConsentSetting, other: ConsentSetting): ConsentSetting {
  return consentSettings.indexOf(one) > consentSettings.indexOf(other) ? one : other;
}
