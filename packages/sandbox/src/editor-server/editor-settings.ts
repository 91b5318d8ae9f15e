/** What a session's VS Code starts with. Written once: what a person changes later stands. */
export const editorSettings = {
  'window.autoDetectColorScheme': true,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'security.workspace.trust.enabled': false,
  'workbench.startupEditor': 'none',
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  // Their processes take a third of the memory, and wait for an account that nobody has here.
  'chat.disableAIFeatures': true,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  // The same shell as the agent's. A login shell may be slow, and its environment another one.
  'terminal.integrated.defaultProfile.linux': 'bash',
  'terminal.integrated.profiles.linux': { bash: { path: 'bash', args: [], icon: 'terminal-bash' } },
  'terminal.integrated.automationProfile.linux': { path: 'bash', args: [] },
};
