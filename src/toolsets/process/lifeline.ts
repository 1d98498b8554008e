import { findProgram } from '../../files/programs/find-program.ts';
import { markVariable } from './marked-processes.ts';

/**
 * Shell commands that kill the marked processes that left the group, as far as `/proc` shows them, then the group. The process that runs
 * these commands is marked itself, and must not kill itself before it is done.
 */
export const endAll = `
  own=$(exec sh -c 'echo $PPID')
  for _ in 1 2 3 4 5; do
    for place in $(grep -lsaF "${markVariable}=$${markVariable}" /proc/[0-9]*/environ); do
      place=\${place#/proc/}
      [ "\${place%/environ}" = "$own" ] || kill -s KILL "\${place%/environ}"
    done
  done
  kill -s KILL -- "-$$"
`;

/**
 * Returns the command line of a program that does not outlive this process, however this process ends: a companion waits until the other
 * end of the lifeline (file descriptor 3) closes, gives the program a moment to end by itself, and kills it and everything it started.
 * The program must be the leader of a process group and be marked.
 */
export function onLifeline(argv: readonly [string, ...string[]], graceSeconds: number): readonly [string, ...string[]] {
  const script = `
( exec >/dev/null 2>&1 </dev/null; read -r _ <&3; sleep ${graceSeconds}; ${endAll} ) &
exec 3<&-
exec "$@"
`;
  return [findProgram('sh', { in: 'system' }).path, '-c', script, 'cadre', ...argv];
}
