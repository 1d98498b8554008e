// Not state of a run: activities of teams' code in this process.
const active = new Set<{ readonly what: string }>();
// Not state of a run: set once the process is watched.
let isWatching = false;

/**
 * Reports on stderr when code of a team ends the process, and sets a failing exit code. Without it, code that calls `process.exit` would
 * look like a run that succeeded. Dispose of the result to stop watching.
 */
export function watchEnd(what: string): Disposable {
  if (!isWatching) {
    isWatching = true;
    process.on('exit', (code) => {
      if (active.size === 0 || code !== 0) return;
      process.stderr.write(
        `The process ended while ${[...active].map(({ what }) => what).join(', ')}: code of a team must not call process.exit; throw an error instead.\n`,
      );
      process.exitCode = 1;
    });
  }
  const entry = { what };
  active.add(entry);
  return { [Symbol.dispose]: () => void active.delete(entry) };
}
