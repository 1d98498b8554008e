/**
 * Bash script that runs one command of a session. Each command has its own shell, which begins with the state that the previous one
 * left: variables, functions, options, the folder. So nothing a command does (exit, exec, a signal, a limit) can break its session, and
 * ending a command ends all of it.
 *
 * Arguments: the folder with the initial state (may be missing), the folder for the final state (empty: none), and the file with the
 * command. The initial environment of the shell is passed every time and is not part of the state, except for variables that people
 * change, such as PATH. So no secret of the settings is written to a file.
 *
 * Uses only builtins, since a command may have broken PATH. It may also have replaced `builtin` with a function; in POSIX mode `unset` is
 * found before any function. `done` is written last; without it there is no state.
 */
export const sessionScript = `
__cadre_from=$1 __cadre_to=$2 __cadre_file=$3 __cadre_given=' '
builtin shift 3
while IFS= builtin read -r __cadre_name; do
  case $__cadre_name in PATH|HOME|LANG|LC_ALL|TZ|TERM|PAGER) continue ;; esac
  __cadre_given+="$__cadre_name "
done < <(builtin compgen -e)
__cadre_save() {
  POSIXLY_CORRECT=1
  unset -f builtin unset
  unset POSIXLY_CORRECT
  builtin set +o posix
  builtin set +o >"$__cadre_to/options"
  builtin shopt -p >>"$__cadre_to/options"
  builtin set +eux
  builtin local __cadre_name
  while IFS= builtin read -r __cadre_name; do
    case $__cadre_name in
      __cadre_*|BASH*|SHELLOPTS|EUID|UID|PPID|FUNCNAME|GROUPS|DIRSTACK|PIPESTATUS|_|RANDOM|SRANDOM) continue ;;
      SECONDS|LINENO|EPOCH*|HISTCMD|COMP_*|SHLVL|PWD|OPTIND) continue ;;
    esac
    case $__cadre_given in *" $__cadre_name "*) continue ;; esac
    builtin declare -p "$__cadre_name"
  done < <(builtin compgen -v) >"$__cadre_to/variables"
  while IFS= builtin read -r __cadre_name; do
    case $__cadre_name in __cadre_*) continue ;; esac
    builtin declare -f "$__cadre_name"
  done < <(builtin compgen -A function) >"$__cadre_to/functions"
  builtin printf '%s' "$PWD" >"$__cadre_to/cwd"
  builtin jobs -rp >"$__cadre_to/jobs"
  builtin printf done >"$__cadre_to/done"
}
if [ -f "$__cadre_from/done" ]; then
  builtin source "$__cadre_from/variables" 2>/dev/null
  builtin source "$__cadre_from/functions" 2>/dev/null
  builtin cd -- "$(<"$__cadre_from/cwd")"
  builtin source "$__cadre_from/options" 2>/dev/null
fi
[ -z "$__cadre_to" ] || builtin trap '{ __cadre_save; } 2>/dev/null' EXIT
builtin eval -- "$(<"$__cadre_file")"
`;
