export type ShellKind = 'posix' | 'fish' | 'powershell' | 'other';

export function shellKindOf(path: string): ShellKind {
  const name = (path.split(/[\\/]/).at(-1) ?? '').toLowerCase().replace(/\.exe$/, '');
  if (name === 'bash' || name === 'zsh' || name === 'sh') return 'posix';
  if (name === 'fish') return 'fish';
  return name === 'pwsh' || name === 'powershell' ? 'powershell' : 'other';
}

/**
 * A command as one simple command on one line. Of anything else a shell reports only the first part, and VS Code then
 * tells neither what it prints nor that it ends. Being evaluated, it still changes directory and variables.
 */
export function commandLine(kind: ShellKind, command: string): string {
  switch (kind) {
    case 'posix':
      return `eval ${/\bexit\b/.test(command) ? '"$__fairlead_exit"' : ''}${posixWord(command)}"$__fairlead_end"`;
    case 'fish':
      return `eval ${fishWord(command)}`;
    case 'powershell':
      return `Invoke-Expression ${powershellWord(command)}`;
    case 'other':
      return command;
  }
}

/** Tells a shell that its report has come: a key that does nothing at a prompt. */
export const endHeard = '\x06';

const reportAndWait = (code: string) =>
  `printf '\\033]697;end;%s\\007' "${code}" >/dev/tty; ` +
  `IFS= read -rs -t 3 -d $'\\006' __fairlead_heard </dev/tty 2>/dev/null`;

/**
 * What the shells of an agent have in their environment, for the lines above. VS Code loses the output of a command that
 * ends in the moment in which it prints: so a command reports its end in-band, and waits until that was heard. And `exit`
 * ends the command, not the terminal: an interrupt leads back to the prompt. In a sub-shell it is what it always was.
 * There is no `$$` in it, which VS Code would take for an escaped `$`.
 */
export const lineVariables = {
  __fairlead_end:
    // Two, because the command may end in a backslash.
    `\n\n__fairlead_code=$?; unset -f exit 2>/dev/null; ${reportAndWait('$__fairlead_code')}; (exit $__fairlead_code)`,
  __fairlead_exit:
    'exit() { __fairlead_code=$?; __fairlead_code=${1:-$__fairlead_code}; ' +
    '[ "${ZSH_SUBSHELL:-$BASH_SUBSHELL}" = 0 ] || builtin exit "$__fairlead_code"; ' +
    `unset -f exit; ${reportAndWait('$__fairlead_code')}; kill -INT 0; }\n`,
};

/** Control characters would be keys to the prompt: Tab completes, Enter submits. */
function posixWord(text: string): string {
  if (!/\p{Cc}/u.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  // `!` and quotes by number too, because the history reads these quotes in another way than the shell.
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll(/['!\p{Cc}]/gu, byNumber);
  return `$'${escaped}'`;
}

function byNumber(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

function fishWord(text: string): string {
  const quoted = text
    .replaceAll(/[\\']/g, '\\$&')
    .replaceAll(/\p{Cc}/gu, (control) => `'${byNumber(control)}'`);
  return `'${quoted}'`;
}

function powershellWord(text: string): string {
  const quoted = text.replaceAll("'", "''");
  if (!/\p{Cc}/u.test(quoted)) return `'${quoted}'`;
  return `('${quoted.replaceAll(/\p{Cc}/gu, (control) => `'+[char]${control.charCodeAt(0)}+'`)}')`;
}
