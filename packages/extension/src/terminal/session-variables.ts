/**
 * What an agent's shells take over of the variables that come with its session. Whoever made the session chose them: so
 * none may make a shell run something by itself, or take the place of what is the user's. docs/windows.md has this list.
 */
export function sessionVariables(session: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(session).filter(([name]) => !isRefused(name)));
}

/**
 * Those of them that the user has to be shown before the first command: there is no end to the programs that a variable
 * makes do something else than a command says (`MAKEFLAGS`, `TAR_OPTIONS`, …).
 */
export function variablesToShow(session: Record<string, string>): Record<string, string> {
  const taken = Object.entries(sessionVariables(session));
  return Object.fromEntries(taken.filter(([name]) => !isHarmless.test(name.toUpperCase())));
}

/** Language, time zone, colours, and who commits. */
const isHarmless =
  /^(LANG|LANGUAGE|LC_\w+|TZ|CI|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CLICOLOR(_FORCE)?|NO_CHANGE_TIMEOUT_SECONDS|GIT_.*)$/;

/** Names of variables are not told apart by case everywhere. */
function isRefused(name: string): boolean {
  const upper = name.toUpperCase();
  if (isHarmlessOfGit.test(upper)) return false;
  return refusedNames.has(upper) || refusedPrefixes.some((prefix) => upper.startsWith(prefix));
}

const isHarmlessOfGit = /^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)$|^GIT_TERMINAL_PROMPT$/;

const refusedPrefixes = [
  // Our own, and VS Code's.
  '__',
  'FAIRLEAD_',
  'EVOLVE_RUN_BRIDGE_',
  'VSCODE_',
  'ELECTRON_',
  // Options, start files and functions of bash, and the functions and settings of fish.
  'BASH',
  'FISH_',
  // Libraries that are loaded into every program.
  'LD_',
  'DYLD_',
  // Pagers, editors, helpers and settings.
  'GIT_',
  'LESS',
  // Where programs find their settings, some of which are programs.
  'XDG_',
];

const refusedNames = new Set([
  // What shells read, run or write by themselves.
  'CDPATH',
  'ENV',
  'FPATH',
  'GLOBIGNORE',
  'HISTFILE',
  'IFS',
  'INPUTRC',
  'MAIL',
  'MAILPATH',
  'MODULE_PATH',
  'NULLCMD',
  'PROMPT',
  'PROMPT2',
  'PROMPT3',
  'PROMPT4',
  'PROMPT_COMMAND',
  'PS0',
  'PS1',
  'PS2',
  'PS3',
  'PS4',
  'PSMODULEPATH',
  'READNULLCMD',
  'RPROMPT',
  'RPS1',
  'SHELLOPTS',
  'SPROMPT',
  'ZDOTDIR',
  // Which programs, and whose settings.
  'COMSPEC',
  'HOME',
  'LOGNAME',
  'PATH',
  'PATHEXT',
  'SHELL',
  'USER',
  // Programs that others start.
  'BROWSER',
  'EDITOR',
  'MANPAGER',
  'PAGER',
  'SSH_ASKPASS',
  'SUDO_ASKPASS',
  'VISUAL',
  // Code that interpreters load.
  'GCONV_PATH',
  'JAVA_TOOL_OPTIONS',
  'JDK_JAVA_OPTIONS',
  '_JAVA_OPTIONS',
  'NODE_OPTIONS',
  'NODE_PATH',
  'PERL5LIB',
  'PERL5OPT',
  'PYTHONHOME',
  'PYTHONPATH',
  'PYTHONSTARTUP',
  'RUBYLIB',
  'RUBYOPT',
]);
