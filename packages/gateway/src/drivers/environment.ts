export interface SandboxEnvironment {
  home: string;
  user: string;
  /** For temporary files. */
  temporary: string;
  /** What the session asks for; it stands above all others. */
  env: Record<string, string>;
}

export const standardPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** All that a sandbox's processes find in their environment, and nothing of the gateway's own. */
export function sandboxEnvironment({
  home,
  user,
  temporary,
  env,
}: SandboxEnvironment): Record<string, string> {
  return {
    PATH: standardPath,
    HOME: home,
    USER: user,
    LOGNAME: user,
    SHELL: '/bin/bash',
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    TMPDIR: temporary,
    ...forShells(env),
  };
}

/** The session's variables, for its shells alone: one that Node heeds must not reach the sandbox server. */
export function forShells(env: Record<string, string>): Record<string, string> {
  const { [ownSetting]: setting, ...given } = withoutSettings(env);
  return {
    ...(setting !== undefined && { [ownSetting]: setting }),
    ...(Object.keys(given).length > 0 && { FAIRLEAD_SHELL_ENV: JSON.stringify(given) }),
  };
}

/** The one of the sandbox server's settings that is a session's to choose. */
const ownSetting = 'NO_CHANGE_TIMEOUT_SECONDS';

/** Without what the sandbox server would take for its settings. */
export function withoutSettings(env: Record<string, string>): Record<string, string> {
  const entries = Object.entries(env);
  return Object.fromEntries(
    entries.filter(([name]) => name !== 'SESSION_API_KEY' && !name.startsWith('FAIRLEAD_')),
  );
}
