import { fileURLToPath } from 'node:url';
import { findProgram } from '../../files/programs/find-program.ts';
import { ownNode } from '../../files/programs/own-node.ts';
import { startProcess } from '../../files/programs/start-process.ts';
import { jobFile } from '../worker/job-answer.ts';

/**
 * Shell script of the companion: keeps the last places it read, one per line, until the end of its input; then kills the programs that
 * listen on the sockets, removes the sockets, waits until the kernel has ended the sandboxes, removes the places that are still empty,
 * and sweeps the workspaces of files that commands had planted there.
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
for socket; do
  for found in $(grep -lsF "UNIX-LISTEN:$socket," /proc/[0-9]*/cmdline); do
    process=\${found%/cmdline}
    line=$(tr '\\0' ' ' 2>/dev/null <"$found")
    case $line in *"socat UNIX-LISTEN:$socket,"*) kill -s KILL "\${process#/proc/}" 2>/dev/null ;; esac
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

/** Cleans up after a process with sandboxes that was killed and could not do so itself. */
export interface SandboxCompanion {
  /** Notes the empty places that are created for a sandbox to mount on, as absolute paths. */
  note(places: readonly string[]): void;
  /** Forgets all noted places, which have been removed. */
  forget(): void;
  /** Ends the companion. Call when the sandboxes and the programs behind the sockets are gone. */
  leave(): void;
}

const noCompanion: SandboxCompanion = { note: () => undefined, forget: () => undefined, leave: () => undefined };

/**
 * Starts a companion that cleans up when this process is killed. The sandbox package would otherwise leave behind the proxy programs at
 * `sockets`, the empty files and folders in workspaces that its sandboxes mounted on, and planted files that were not yet moved away.
 * `records` is the folder with the sweep records.
 */
export function accompanySandboxes(sockets: readonly string[], records: string): SandboxCompanion {
  if (process.platform !== 'linux') return noCompanion;
  const sweep = fileURLToPath(jobFile(new URL('./sweep-program', import.meta.url)));
  const sh = findProgram('sh', { in: 'system' }).path;
  const companion = startProcess([sh, '-c', script, 'cadre', ownNode(), sweep, records, ...new Set(sockets)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Ctrl-C reaches this process, which cleans up itself; the companion acts only when it cannot.
    detached: true,
  });
  const { stdin } = companion;
  // Without the companion, a killed process leaves harmless things behind, so a failure to start it is no reason to stop.
  companion.unref();
  if (stdin !== null && 'unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  return {
    note: (places) => {
      const lines = places.filter((place) => !place.includes('\n')).map((place) => `${place}\n`);
      stdin?.write(lines.join(''));
    },
    forget: () => stdin?.write('-\n'),
    leave: () => stdin?.end('-\n'),
  };
}
