/**
 * Runs one command of a session. Each command has a shell of its own, which begins with what the one before left: variables,
 * functions, options, the folder. So nothing a command does (exit, exec, a signal, a limit) can break its session, and
 * ending a command ends all of it.
 *
 * Arguments: the folder with the state to begin with (may be missing), the folder to leave the state in (empty: nowhere),
 * and the file with the command. The environment the shell starts with is given anew each time and not part of the state,
 * except for what people change: PATH and the like. So no secret of the settings gets into a file.
 *
 * Only builtins are used: a command may have broken PATH. It may also have put a function in the place of `builtin`; in POSIX mode
 * `unset` is found before any function. `done` is written last; without it there is no state.
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
