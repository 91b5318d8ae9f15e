import { markerNumber } from './markers.ts';
import { quoteForShell } from './quote.ts';

/** File names in a shell's own directory; the shell and the session meet there. */
export const shellFiles = {
  init: 'init.sh',
  /** Texts, each ended by a NUL: number, how it is shown, the command, whether to save behind it, id of its action. */
  command: 'command',
  /** Number of the last command that the shell has begun, and the shell's process id. */
  begun: 'begun',
  /** Number, exit code and last background job of the last command that has ended. */
  ended: 'ended',
  /** What a new shell takes over from one that ended: two files in turn, so that one of them is whole. */
  state: ['state.0', 'state.1'],
} as const;

/**
 * What is typed to run the command in the command file: an alias, because every typed character costs. C-u: a person
 * may have left half a line at the prompt.
 */
export const runLine = '\x15__fl\r';

/**
 * Whether a command may change what a successor of the shell takes over: exported variables, or the directory. What
 * this overlooks (a function that exports) is still saved when the shell exits, only not when it is killed.
 */
export function mayChangeState(command: string): boolean {
  return /=|\b(cd|pushd|popd|export|declare|typeset|unset|read|mapfile|source|eval|set|\w*activate|conda|nvm|module)\b|(^|[;&|({]\s*)\.\s/.test(
    command,
  );
}

/** How a terminal shows a command to a person: in place of what was typed, with its mark in hidden ink. */
export function shownCommand(secret: string, n: number, command: string): string {
  const firstLine = (command.split('\n', 1)[0] as string).slice(0, 500);
  const shown = firstLine.replaceAll(/\p{Cc}/gu, ' ') + (firstLine === command ? '' : ' …');
  // NEL instead of a newline: bash would write the line in two pieces.
  return `\x1b[A\r\x1b[J$ ${shown} \x1b[8m${commandMark(secret, n)}\x1b[0m\x1bE`;
}

/** Stands invisibly behind a command where the terminal shows it, so that its output can be found again. */
export function commandMark(secret: string, n: number): string {
  return `#${secret.slice(0, 8)}-${n}#`;
}

/** What is typed to make an idle shell say where it stands. */
export const askLine = '\x15__fl_ask\r';

/**
 * The script an interactive bash starts with. The shell reports in-band, with control sequences that carry a
 * secret: `S` command n begins, `E` it ended (before the prompt), `P` and `R` stand around the prompt, `X` the
 * shell exits. `P` repeats what `E` said for the day somebody replaces PROMPT_COMMAND; both hooks are put back
 * before and behind each command. Everything the shell needs to know lives in `__f*` names.
 *
 * Every agent's command runs through this, so it counts microseconds: no process, few system calls, and files are
 * written over (`1<>`), never emptied first, because some file systems flush a file that is emptied and written
 * again. `isAdoptable`: another process may have to find out how the last command ended.
 */
export function initScript(secret: string, directory: string, isAdoptable: boolean): string {
  const open = `\\e]${markerNumber};${secret};`;
  const close = `;${secret}\\a`;
  const file = (name: string) => quoteForShell(`${directory}/${name}`);
  return `
# PROMPT_COMMAND is exported, so that a shell that replaces this one by \`exec bash\` finds its way back here.
# Any other shell that inherits it forgets it at its first prompt.
if [ "$$" != "\${FAIRLEAD_SHELL_PID:-$$}" ]; then unset PROMPT_COMMAND; return; fi
{ IFS=' ' read -r __fl_n _ <${file(shellFiles.begun)}; } 2>/dev/null
__fl_n=\${__fl_n:-0} __fl_saves=1 __fl_due=1
if [ -z "\${__fl_rc-}" ] && [ -z "\${FAIRLEAD_NO_RC-}" ] && [ -r ~/.bashrc ]; then __fl_rc=1; . ~/.bashrc; fi
# A new shell goes on where the one before it ended.
if [ -n "\${FAIRLEAD_RESTORE-}" ]; then . "$FAIRLEAD_RESTORE" 2>/dev/null; unset FAIRLEAD_RESTORE; fi
export FAIRLEAD_SHELL_PID=$$
unset FAIRLEAD_NO_RC
set +H
bind 'set enable-bracketed-paste off' 2>/dev/null
bind 'set bell-style none' 2>/dev/null
alias git='git --no-pager'

__fl_ps1='\\[${open}P;$__fl_n;$?;\${!-};;$PWD${close}\\]'
__fl_ps1e='\\[${open}R${close}\\]'
# The name of the hook here, the way to this file in a shell that took this one's place.
__fl_hook=__fl_p
__fl_pc=${quoteForShell(`\${__fl_hook-. ${file(shellFiles.init)}}`)}

__fl_hooks() {
  case \${PS1-} in *"$__fl_ps1"*) ;; *) PS1=$__fl_ps1\${PS1-} ;; esac
  case $PS1 in *"$__fl_ps1e"*) ;; *) PS1=$PS1$__fl_ps1e ;; esac
  case \${PROMPT_COMMAND-} in
    "$__fl_pc"*) ;;
    *) PROMPT_COMMAND=\${PROMPT_COMMAND-}
      PROMPT_COMMAND=\${PROMPT_COMMAND//"$__fl_pc"/:}
      PROMPT_COMMAND=$__fl_pc\${PROMPT_COMMAND:+$'\\n'$PROMPT_COMMAND} ;;
  esac
  export PROMPT_COMMAND
  __fl_all=$PS1$PROMPT_COMMAND
}

# The command is evaluated at the top level, where it is what a person would have typed. The \`&&:\` keep its \`$?\`
# and that of the command before it, and do not disturb \`set -e\`.
__fl_alias='__fl_take&&\\:;\\builtin eval "$__fl";__fe&&\\:'
alias __fl="$__fl_alias"
# Somebody has removed all aliases. (\`function\`, because a name alone would be taken for the alias.)
function __fl {
  shopt -s expand_aliases
  alias __fl="$__fl_alias"
  builtin eval __fl
}

# Takes the command from its file, and shows it to whoever watches.
__fl_take() {
  local s=$? m
  builtin mapfile -n 4 -d '' -t m <${file(shellFiles.command)}
  # The line was typed twice, because the first one seemed to be lost.
  if [[ $m == "$__fl_n" ]]; then __fl=; return "$s"; fi
  __fl_n=$m __fl=\${m[2]} __fl_saves=\${m[3]} __fl_due=1
  builtin printf '%s %s\\n' "$m" "$$" 1<>${file(shellFiles.begun)}
  builtin history -s -- "$__fl"
  [[ \${PS1-}\${PROMPT_COMMAND-} == "$__fl_all" ]] || __fl_hooks
  case $- in
    # A trace must not show how the command got here: begin behind the eval.
    *x*) builtin printf %s "\${m[1]}" >/dev/tty
      __fl='{ __fl_b&&:; } 2>/dev/null'$'\\n'$__fl ;;
    *) builtin printf '%s${open}S;%s${close}' "\${m[1]}" "$m" >/dev/tty ;;
  esac
  return "$s"
}
__fl_b() {
  local s=$?
  builtin printf '${open}S;%s${close}' "$__fl_n" >/dev/tty
  return "$s"
}
# The command may have replaced the hooks by which its end is reported.
__fe() {
  local s=$?
  [[ \${PS1-}\${PROMPT_COMMAND-} == "$__fl_all" ]] || __fl_hooks
  return "$s"
}

# Before each prompt: reports first, saves what a successor would need afterwards. The file keeps how the command
# ended: what else is typed at the prompt has no say in that.
__fl_p() {
  local s=$?
  __fl_report || :
  return 0
} 2>/dev/null
# Called where a failure does not matter, so \`set -e\` does not end the shell in here.
__fl_report() {
  [[ $PATH == "\${__fl_path-}" && -x $__fl_py ]] || __fl_python
  builtin printf '${open}E;%s;%s;%s;%s;%s;%s${close}' "$__fl_n" "$s" "\${!-}" "$-" "$__fl_py" "$PWD" >/dev/tty
  ${isAdoptable ? `[[ $__fl_due ]] && builtin printf '%s %s %s\\n' "$__fl_n" "$s" "\${!-}" 1<>${file(shellFiles.ended)}` : ''}
  __fl_due=
  [[ $__fl_saves ]] && __fl_save
}
__fl_python() {
  builtin hash python
  __fl_path=$PATH __fl_py=\${BASH_CMDS[python]-}
}
__fl_save() {
  { builtin printf '#%s\\n' "$__fl_n"
    builtin declare -px
    builtin printf 'cd -- %q\\nreturn\\n#end %s\\n' "$PWD" "$__fl_n"
  } 1<>${file('state.')}$((__fl_n & 1))
}
__fl_x() {
  local s=$?
  __fl_save
  builtin printf '${open}X;%s;%s;%s${close}' "$__fl_n" "$s" "$PWD" >/dev/tty
} 2>/dev/null
trap __fl_x EXIT

# What the prompt looks like, and the names that need no asking twice.
__fl_ask() {
  local shown=\${PS1-} user='\\u' host='\\h'
  shown=\${shown/"$__fl_ps1"/}
  shown=\${shown/"$__fl_ps1e"/}
  builtin printf '${open}Q;%s;%s;%s;%s${close}' "$$" "\${user@P}" "\${host@P}" "\${shown@P}" >/dev/tty
} 2>/dev/null

PS1=\${PS1:-'\\u@\\h:\\w\\$ '}
__fl_hooks
__fl_ask
`;
}
