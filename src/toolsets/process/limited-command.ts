import { findProgram } from '../../files/programs/find-program.ts';
import { endAll } from './lifeline.ts';

/** Limits of a process and everything it starts. */
export interface ProcessLimits {
  /** Address space of each process, in bytes. */
  readonly memoryBytes: number;
  /** Maximum size of a file it writes, in bytes. */
  readonly fileBytes: number;
  /** Processor time of each process, in seconds. */
  readonly cpuSeconds: number;
  /** Number of processes at the same time. */
  readonly processes: number;
  /** Memory of all processes together, in bytes. */
  readonly totalMemoryBytes: number;
  /** Disk space for all programs of a run together, in bytes. */
  readonly diskBytes: number;
}

/**
 * Shell script that sets the limits, then becomes the command. With a lifeline (file descriptor 3), a companion kills everything when
 * the other end closes because the engine was killed. The companion starts before the program of the command, which is not aware of it.
 * Limits that a system does not support are skipped.
 */
const script = `
lifeline=$1 memory=$2 blocks=$3 seconds=$4 processes=$5
shift 5
ulimit -c 0
ulimit -v "$memory" 2>/dev/null
ulimit -f "$blocks" 2>/dev/null
ulimit -t "$seconds" 2>/dev/null
[ "$processes" = 0 ] || ulimit -u "$processes" 2>/dev/null || ulimit -p "$processes" 2>/dev/null
if [ "$lifeline" = yes ]; then
  ( exec >/dev/null 2>&1 </dev/null; read -r _ <&3; ${endAll} ) &
  exec 3<&-
fi
unset lifeline memory blocks seconds processes
exec "$@"
`;

/** Command, its limits, and how they are enforced. */
export interface LimitedCommand {
  readonly argv: readonly string[];
  readonly limits: ProcessLimits;
  /** True when the command has a lifeline at file descriptor 3. */
  readonly lifeline: boolean;
  /**
   * Sets the limit on processes too. It counts all processes of the user, so it makes sense only in a separate user namespace;
   * elsewhere processes are watched from outside.
   */
  readonly countProcesses: boolean;
}

/** Returns the command line that runs a command within limits. */
export function limitedCommand({ argv, limits, lifeline, countProcesses }: LimitedCommand): readonly [string, ...string[]] {
  return [
    findProgram('sh', { in: 'system' }).path,
    '-c',
    script,
    'cadre',
    lifeline ? 'yes' : 'no',
    String(Math.ceil(limits.memoryBytes / 1024)),
    String(Math.ceil(limits.fileBytes / 512)),
    String(limits.cpuSeconds),
    countProcesses ? String(limits.processes) : '0',
    ...argv,
  ];
}
