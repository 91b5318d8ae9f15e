import type { ShellUser } from '@fairlead/executor';

/** Of editors and the terminals in them. An address for forwarded ports may be meant for this one. */
const ofOtherEditors = /^(VSCODE_(?!PROXY_URI$)|CODE_SERVER_)/;

/** What the editor and its terminals inherit: that of the shells, and nothing of an editor that this one was started in. */
export function editorEnvironment(
  env: Record<string, string>,
  user: ShellUser | undefined,
): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !ofOtherEditors.test(name));
  return {
    LANG: 'C.UTF-8',
    SHELL: '/bin/bash',
    ...Object.fromEntries(kept),
    ...(user && { HOME: user.home, USER: user.name, LOGNAME: user.name }),
    // Else a login shell is asked for the environment, which is the right one already.
    VSCODE_CLI: '1',
  };
}
