import { markerNumber } from './markers.ts';
import { quoteForShell } from './quote.ts';

/** File names in a shell's own directory; the shell and the session meet there. */
export const shellFiles = {
  init: 'init.sh',
  /** First line: number of the command and id of its action. Rest: its text. Written before the shell is told to run it. */
  command: 'command',
  /** Number of the last command that the shell has begun, and the shell's process id. */
  begun: 'begun',
  /** What a new shell takes over from one that ended: two files in turn, so that one of them is whole. */
  state: ['state.0', 'state.1'],
} as const;

/** What is typed to run command `n`; `$?` of the command before it stays what it was, and `set -e` is not disturbed. */
export function runLine(n: number): string {
  // C-u: a person may have left half a line at the prompt.
  return `\x15__fl ${n}&&:;eval "$__fl_c";__fl_e&&:\r`;
}

/** Stands invisibly behind a command where the terminal shows it, so that its output can be found again. */
export function commandMark(secret: string, n: number | string): string {
  return `#${secret.slice(0, 8)}-${n}#`;
}

/** What is typed to make an idle shell say where it stands. */
export const askLine = '\x15__fl_ask\r';

/**
 * The script an interactive bash starts with. The shell reports in-band, with control sequences that carry a
 * secret: `C` a line was accepted, `S` command n begins, `E` it ended (before the prompt), `P` and
 * `R` stand around the prompt, `X` the shell exits. `P` repeats what `E` said for the day somebody replaces PROMPT_COMMAND; `__fl`
 * puts both back before each command. Everything the shell needs to know lives in `__fl*` names.
 */
export function initScript(secret: string, directory: string): string {
  const open = `\\e]${markerNumber};${secret};`;
  const close = `;${secret}\\a`;
  return `
# PROMPT_COMMAND is exported, so that a shell that replaces this one by \`exec bash\` finds its way back here.
# Any other shell that inherits it forgets it at its first prompt.
if [ "$$" != "\${FAIRLEAD_SHELL_PID:-$$}" ]; then unset PROMPT_COMMAND; return; fi
__fl_dir=${quoteForShell(directory)}
{ IFS=' ' read -r __fl_n _ <"$__fl_dir/${shellFiles.begun}"; } 2>/dev/null
__fl_n=\${__fl_n:-0}
if [ -z "\${__fl_rc-}" ] && [ -z "\${FAIRLEAD_NO_RC-}" ] && [ -r ~/.bashrc ]; then __fl_rc=1; . ~/.bashrc; fi
# A new shell goes on where the one before it ended.
if [ -n "\${FAIRLEAD_RESTORE-}" ]; then . "$FAIRLEAD_RESTORE" 2>/dev/null; unset FAIRLEAD_RESTORE; fi
export FAIRLEAD_SHELL_PID=$$
unset FAIRLEAD_NO_RC
set +H
bind 'set enable-bracketed-paste off' 2>/dev/null
bind 'set bell-style none' 2>/dev/null
alias git='git --no-pager'

__fl_ps0='${open}C${close}'
__fl_ps1='\\[${open}P;$__fl_n;$?;\${!-};;$PWD${close}\\]'
__fl_ps1e='\\[${open}R${close}\\]'
__fl_pc='__fl_p 2>/dev/null || . '${quoteForShell(quoteForShell(`${directory}/${shellFiles.init}`))}' 2>/dev/null'
# A path of the session is no secret; the init script that holds one can be read by its owner alone.

__fl_hooks() {
  case \${PS0-} in *"$__fl_ps0"*) ;; *) PS0=$__fl_ps0\${PS0-} ;; esac
  case \${PS1-} in *"$__fl_ps1"*) ;; *) PS1=$__fl_ps1\${PS1-} ;; esac
  case $PS1 in *"$__fl_ps1e"*) ;; *) PS1=$PS1$__fl_ps1e ;; esac
  case \${PROMPT_COMMAND-} in
    "$__fl_pc"*) ;;
    *) PROMPT_COMMAND=\${PROMPT_COMMAND-}
      PROMPT_COMMAND=\${PROMPT_COMMAND//"$__fl_pc"/:}
      PROMPT_COMMAND=$__fl_pc\${PROMPT_COMMAND:+$'\\n'$PROMPT_COMMAND} ;;
  esac
  export PROMPT_COMMAND
}

# Takes command n from its file; shows a watching person what will run, with its number in hidden ink.
__fl() {
  local s=$? shown x=$-
  { { IFS=' ' builtin read -r __fl_n _; IFS= builtin read -r -d '' __fl_c; } <"$__fl_dir/${shellFiles.command}" || :
    builtin printf '%s %s\\n' "$__fl_n" "$$" >|"$__fl_dir/${shellFiles.begun}"
    builtin history -s -- "$__fl_c"
    __fl_hooks
    shown=\${__fl_c:0:500}
    shown=\${shown%%$'\\n'*}
    [ "$shown" = "$__fl_c" ] || shown+=' …'
    shown=$'\\e[A\\r\\e[J$ '\${shown//[[:cntrl:]]/ }$' \\e[8m${commandMark(secret, `'$__fl_n$'`)}\\e[0m\\n'
    case $x in
      # A trace must not show how the command got here: begin behind the eval.
      *x*) __fl_c='{ __fl_b&&:; } 2>/dev/null'$'\\n'$__fl_c ;;
      *) shown+=$'${open}S;'$__fl_n$'${close}' ;;
    esac
    builtin printf %s "$shown" >/dev/tty
  } 2>/dev/null
  return "$s"
}
# The command may have replaced the hooks by which its end is reported.
__fl_e() {
  local s=$?
  __fl_hooks 2>/dev/null
  return "$s"
}
__fl_b() {
  local s=$?
  builtin printf '${open}S;%s${close}' "$__fl_n" >/dev/tty
  return "$s"
}

# Before each prompt: reports first, saves what a successor would need afterwards.
__fl_p() {
  local s=$?
  builtin hash python 2>/dev/null
  builtin printf '${open}E;%s;%s;%s;%s;%s;%s${close}' "$__fl_n" "$s" "\${!-}" "$-" "\${BASH_CMDS[python]-}" "$PWD" >/dev/tty
  __fl_save
  return 0
}
__fl_save() {
  { builtin printf '#%s %s %s\\n' "$__fl_n" "$s" "\${!-}"
    builtin declare -px
    builtin printf 'cd -- %q\\n#end\\n' "$PWD"
  } >|"$__fl_dir/state.$((__fl_n & 1))"
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
