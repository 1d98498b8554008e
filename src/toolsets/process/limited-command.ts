import { endAll } from './lifeline.ts';

/** What a process, and everything it starts, may take. */
export interface ProcessLimits {
  /** Address space of each process, in bytes. */
  readonly memoryBytes: number;
  /** Longest file it may write, in bytes. */
  readonly fileBytes: number;
  /** Seconds on the processor, for each process. */
  readonly cpuSeconds: number;
  /** Processes at the same time. */
  readonly processes: number;
  /** Memory of all processes together, in bytes. */
  readonly totalMemoryBytes: number;
  /** What all programs of a run may write together, in bytes. */
  readonly diskBytes: number;
}

/**
 * Sets the limits, then becomes the command. With a lifeline (file descriptor 3), a companion ends all of it when the other
 * end is gone: when the engine was killed. The companion is started before the command's own program, which
 * therefore knows nothing of it. What a system cannot limit is left as it is.
 */
const script = `
lifeline=$1 memory=$2 blocks=$3 seconds=$4 processes=$5
export TMPDIR=$6
shift 6
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

/** Where the command is to run. */
export interface LimitedCommand {
  readonly argv: readonly string[];
  readonly limits: ProcessLimits;
  /** The command has a lifeline at file descriptor 3. */
  readonly lifeline: boolean;
  /**
   * The limit on processes is set too. It counts all processes of the user, so it makes sense only in a namespace of
   * its own; elsewhere they are watched from outside.
   */
  readonly countProcesses: boolean;
  /** Where it keeps temporary files; said here because a sandbox sets it otherwise. */
  readonly temporary: string;
}

/** The command line that runs a command within limits. */
export function limitedCommand({
  argv,
  limits,
  lifeline,
  countProcesses,
  temporary,
}: LimitedCommand): readonly [string, ...string[]] {
  return [
    '/bin/sh',
    '-c',
    script,
    'cadre',
    lifeline ? 'yes' : 'no',
    String(Math.ceil(limits.memoryBytes / 1024)),
    String(Math.ceil(limits.fileBytes / 512)),
    String(limits.cpuSeconds),
    countProcesses ? String(limits.processes) : '0',
    temporary,
    ...argv,
  ];
}
