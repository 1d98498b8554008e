import { markVariable } from './marked-processes.ts';

/**
 * Shell commands that end what bears the mark and left its group, as far as a `/proc` tells, then the group. The process that runs
 * them bears the mark itself, and must not end itself before it is done.
 */
export const endAll = `
  PATH=/usr/bin:/bin own=$(exec /bin/sh -c 'echo $PPID')
  for _ in 1 2 3 4 5; do
    for place in $(grep -lsaF "${markVariable}=$${markVariable}" /proc/[0-9]*/environ); do
      place=\${place#/proc/}
      [ "\${place%/environ}" = "$own" ] || kill -s KILL "\${place%/environ}"
    done
  done
  kill -s KILL -- "-$$"
`;

/**
 * The command line of a program that does not outlive this process, however this process ends: a companion waits for the other end of
 * the lifeline (file descriptor 3) to be gone, gives the program a moment to end by itself, and ends it and all it started. The
 * program must lead a group of its own and bear the mark.
 */
export function onLifeline(argv: readonly [string, ...string[]], graceSeconds: number): readonly [string, ...string[]] {
  const script = `
( exec >/dev/null 2>&1 </dev/null; read -r _ <&3; PATH=/usr/bin:/bin; sleep ${graceSeconds}; ${endAll} ) &
exec 3<&-
exec "$@"
`;
  return ['/bin/sh', '-c', script, 'cadre', ...argv];
}
