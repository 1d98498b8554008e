import { spawn } from 'node:child_process';

/** Waits for the end of its input, then ends the programs that listen on the sockets it was given, and removes the sockets. */
const script = `
read -r _
for process in /proc/[0-9]*; do
  line=$(tr '\\0' ' ' 2>/dev/null <"$process/cmdline")
  for socket; do
    case $line in "socat UNIX-LISTEN:$socket,"*) kill -s KILL "\${process#/proc/}" 2>/dev/null ;; esac
  done
done
rm -f -- "$@"
`;

/**
 * Sees to it that the way out of sandboxes does not outlive this process: the package leaves the programs behind that carry it
 * when a process is killed. Returns what ends the companion; to be called when they are gone.
 */
export function accompanyBridges(sockets: readonly string[]): () => void {
  if (process.platform !== 'linux' || sockets.length === 0) return () => undefined;
  const companion = spawn('/bin/sh', ['-c', script, 'cadre', ...new Set(sockets)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Ctrl-C is for this process, which closes what it has; the companion is for when it cannot.
    detached: true,
  });
  // Without it, a killed process leaves a program behind that does nothing; no reason not to work.
  companion.on('error', () => undefined);
  companion.stdin.on('error', () => undefined);
  companion.unref();
  if ('unref' in companion.stdin && typeof companion.stdin.unref === 'function') companion.stdin.unref();
  return () => companion.stdin.end();
}
