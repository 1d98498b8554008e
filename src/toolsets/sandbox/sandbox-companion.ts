import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { jobFile } from '../worker/job-answer.ts';

/**
 * Keeps the last places it was given, one per line, until the end of its input; then ends the programs that listen on the sockets,
 * removes the sockets, waits until the kernel has ended the sandboxes, removes what is still empty of the places, and sweeps the workspaces
 * of what commands had planted there.
 */
const script = `
node=$1 program=$2 records=$3
shift 3
held=
while IFS= read -r line; do
  case $line in /*) held="$held$line
" ;; *) held= ;; esac
done
sweep() { if [ -e "$1" ]; then "$node" --no-warnings "$program" "$records" & else rm -rf -- "$records"; fi; }
sweep "$records"/*.json
for process in /proc/[0-9]*; do
  line=$(tr '\\0' ' ' 2>/dev/null <"$process/cmdline")
  for socket; do
    case $line in "socat UNIX-LISTEN:$socket,"*) kill -s KILL "\${process#/proc/}" 2>/dev/null ;; esac
  done
done
rm -f -- "$@"
[ -n "$held" ] || exit 0
sleep 1
printf %s "$held" | while IFS= read -r place; do
  if [ -L "$place" ]; then :
  elif [ -d "$place" ]; then rmdir "$place" 2>/dev/null
  elif [ -f "$place" ] && [ ! -s "$place" ]; then rm -f "$place"
  fi
done
wait
`;

/** Cleans up behind a process with sandboxes that was killed, which cannot do it itself. */
export interface SandboxCompanion {
  /** Notes places that are made, empty, for a sandbox to mount upon: absolute paths. */
  note(places: readonly string[]): void;
  /** Says that all places noted so far are gone. */
  forget(): void;
  /** Ends it; to be called when the sandboxes and the programs behind the sockets are gone. */
  leave(): void;
}

const noCompanion: SandboxCompanion = { note: () => undefined, forget: () => undefined, leave: () => undefined };

/**
 * Sees to it that nothing of sandboxes outlives this process: where it is killed, the package leaves the programs behind that carry
 * the way out at the `sockets`, and in workspaces the empty files and folders that its sandboxes mounted upon, with what commands had planted
 * and nobody had moved away yet. `records` is the folder with what is to be swept.
 */
export function accompanySandboxes(sockets: readonly string[], records: string): SandboxCompanion {
  if (process.platform !== 'linux') return noCompanion;
  const sweep = fileURLToPath(jobFile(new URL('./sweep-program', import.meta.url)));
  const companion = spawn('/bin/sh', ['-c', script, 'cadre', process.execPath, sweep, records, ...new Set(sockets)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Ctrl-C is for this process, which closes what it has; the companion is for when it cannot.
    detached: true,
  });
  const { stdin } = companion;
  // Without it, a killed process leaves things behind that do nothing; no reason not to work.
  companion.on('error', () => undefined);
  stdin.on('error', () => undefined);
  companion.unref();
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  return {
    note: (places) => {
      const lines = places.filter((place) => !place.includes('\n')).map((place) => `${place}\n`);
      stdin.write(lines.join(''));
    },
    forget: () => stdin.write('-\n'),
    leave: () => stdin.end('-\n'),
  };
}
