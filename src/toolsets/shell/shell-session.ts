import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import path from 'node:path';
import { makeTempSubfolder, removeTempSync } from '../../files/temp-folder.ts';

/** Maximum size of a state that is carried over; beyond it, a command has put a file into a variable. */
const maxStateBytes = 8 * 1024 * 1024;

/** Maximum bytes read from a state file, enough for any path. */
const maxPathBytes = 4096;

/**
 * State of a session, from which its next command begins: a folder that its last command filled. Since a command wrote its files, only
 * shells read them, except for the small files read here; links are not followed.
 */
export class ShellSession {
  readonly name: string;
  readonly #folder: string;
  #state: string | undefined;
  #count = 0;

  constructor(name: string, folder: string) {
    this.name = name;
    this.#folder = folder;
    makeTempSubfolder(folder);
  }

  /** True when a command has left a state. */
  get hasState(): boolean {
    return this.#state !== undefined;
  }

  /** Folder with the state; without a state, a folder that does not exist. */
  get state(): string {
    return this.#state ?? path.join(this.#folder, 'none');
  }

  /** Current folder of the session; undefined before its first command. */
  get cwd(): string | undefined {
    return this.#state === undefined ? undefined : readStart(path.join(this.#state, 'cwd'));
  }

  /** Creates a folder for the state of the next command. */
  nextState(): string {
    this.#count += 1;
    const folder = path.join(this.#folder, String(this.#count));
    makeTempSubfolder(folder);
    return folder;
  }

  /** Returns how many jobs a command left running, as its shell reported. */
  jobsLeft(folder: string): number {
    return readStart(path.join(folder, 'jobs'))?.match(/^\d+$/gm)?.length ?? 0;
  }

  /** Adopts the state a command left; returns false when it left none, and the session keeps its previous state. */
  adopt(folder: string): boolean {
    const usable = readStart(path.join(folder, 'done')) === 'done' && sizeOf(folder) <= maxStateBytes;
    const useless = usable ? this.#state : folder;
    if (usable) this.#state = folder;
    if (useless !== undefined) removeTempSync(useless);
    return usable;
  }

  /** Drops the state: the next command begins in the workspace. */
  restart(): void {
    if (this.#state !== undefined) removeTempSync(this.#state);
    this.#state = undefined;
  }
}

function sizeOf(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + lstatSync(path.join(folder, name)).size, 0);
}

/** Reads the beginning of a file that a command wrote; returns undefined when it is not a regular file. */
function readStart(file: string): string | undefined {
  try {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!fstatSync(descriptor).isFile()) return undefined;
      const bytes = Buffer.alloc(maxPathBytes);
      return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, maxPathBytes, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // The file is missing, or a command has put a link there: either way there is no state.
    return undefined;
  }
}

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
